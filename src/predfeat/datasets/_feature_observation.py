"""Show an agent the features instead of the observations."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from predfeat._typing import AnyArray
from predfeat.datasets._opening import library
from predfeat.exceptions import DimensionError, MissingLibraryError
from predfeat.features import LinearFeatures
from predfeat.series import flatten_observation

__all__ = ["FeatureObservation"]

_NEEDS = {"name": "gymnasium", "extra": "games", "what": "showing an agent the features"}

try:
    _bases: Any = (
        library(**_NEEDS).ObservationWrapper,
        library(**_NEEDS).utils.RecordConstructorArgs,
    )
except MissingLibraryError:
    _bases = (object,)  # the class can be named all the same, and says what is missing if used


class FeatureObservation(*_bases):  # type: ignore[misc]
    """An environment whose observations are the features of a fitted model.

    A wrapper as gymnasium's own are. Needs the extra `games`.

    Parameters
    ----------
    env : gymnasium.Env
        Its observations have the columns that the model was fitted to, once they are flattened
        as `predfeat.series.from_episodes` flattens them: pictures row by row, the parts of dicts in
        the alphabetical order of their names.
    model : GPFA, SFA or any other fitted method of predfeat
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        Of the features. Many agents compute with float32.

    Examples
    --------
    >>> import gymnasium  # doctest: +SKIP
    >>> from predfeat import GPFA
    >>> from predfeat.datasets import FeatureObservation, record_episodes
    >>> from predfeat.series import from_episodes
    >>> env = gymnasium.make("Acrobot-v1")  # doctest: +SKIP
    >>> log = from_episodes(record_episodes(env, 2000))  # doctest: +SKIP
    >>> model = GPFA(n_components=3).fit(log.X, groups=log.groups)  # doctest: +SKIP
    >>> observation, info = FeatureObservation(env, model).reset(seed=0)  # doctest: +SKIP
    >>> observation.shape  # doctest: +SKIP
    (3,)
    """

    def __init__(self, env: Any, model: LinearFeatures, *, dtype: Any = np.float64) -> None:
        gymnasium = library(**_NEEDS)
        if not isinstance(model, LinearFeatures):
            raise TypeError(
                f"model must be a fitted method of predfeat, such as GPFA, but it is of type "
                f"{type(model).__name__}."
            )
        check_is_fitted(model)
        if np.dtype(dtype) not in (np.float64, np.float32):
            raise TypeError(f"dtype must be float64 or float32, but it is {np.dtype(dtype)}.")
        # A copy is asked for an example: the draw must not change what the space draws later.
        n_columns = len(flatten_observation(deepcopy(env.observation_space).sample()))
        if n_columns != model.n_features_in_:
            raise DimensionError(
                f"the observations of {env} have {n_columns} numbers, but "
                f"{type(model).__name__} was fitted to {model.n_features_in_} columns. Fit the "
                "model to a log of this environment, for example with "
                "predfeat.datasets.record_episodes."
            )
        gymnasium.utils.RecordConstructorArgs.__init__(self, model=model, dtype=dtype)
        gymnasium.ObservationWrapper.__init__(self, env)
        self.model = model
        self.observation_space = gymnasium.spaces.Box(
            -np.inf, np.inf, shape=(len(model.components_),), dtype=dtype
        )

    def observation(self, observation: Any) -> AnyArray:
        """Return the features of an observation.

        Parameters
        ----------
        observation : array-like, or nested dicts and tuples of arrays

        Returns
        -------
        ndarray of shape (n_components,)
        """
        # `transform` would check, and name, the columns of every single row.
        centred = flatten_observation(observation) - self.model.mean_
        features: AnyArray = (self.model.components_ @ centred).astype(self.observation_space.dtype)
        return features
