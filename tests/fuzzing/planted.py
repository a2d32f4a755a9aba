"""Cases that do what must not be done, to see that each is noticed."""

import os
import pickle
import time

from fuzzing.cases import Case, Wrong
from fuzzing.hostile import Payload


def _planted(run, told="planted", named=(ValueError,)):
    def make(draw, folder):
        return Case(told, run, named)

    return make


def _eat():
    eaten = []
    for _ in range(2**12):
        eaten.append(b"x" * 2**20)  # written to, so that the memory is really taken


def _raise(error):
    def run():
        raise error

    return run


def _write_elsewhere():
    with open(os.path.join(os.sep, "predfeat-was-here.txt"), "w") as file:
        file.write("x")


def _swallow():
    try:
        os.system("true")
    except Exception:
        raise ValueError("it is damaged") from None


def _answer():
    return None


def _wrong():
    raise Wrong("components are not finite")


fine = _planted(_answer)
refusing = _planted(_raise(ValueError("it is damaged")))
aborting = _planted(os.abort)
leaving = _planted(lambda: os._exit(3))
hanging = _planted(lambda: time.sleep(600))
eating = _planted(_eat)
unpickling = _planted(lambda: pickle.loads(pickle.dumps(Payload())))
shelling = _planted(_swallow)
writing_elsewhere = _planted(_write_elsewhere)
raising_key_error = _planted(_raise(KeyError("x")))
out_of_memory = _planted(_raise(MemoryError()))
shouting = _planted(_raise(ValueError("x" * 10_000)))
answering_wrongly = _planted(_wrong)
