"""Make a noisy film of a bouncing ball: `python examples/bouncing_ball.py ball.mp4`.

Then `predfeat compare ball.mp4 --height 24` finds where the ball is, without being told what a
ball is. Needs `pip install "predfeat[video]"`.
"""

import sys
from pathlib import Path

import av
import numpy as np

HEIGHT, WIDTH, RADIUS, N_FRAMES = 48, 64, 5.5, 900


def pictures(rng):
    place, velocity = np.array([15.0, 20.0]), np.array([1.1, 1.7])
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    for _ in range(N_FRAMES):
        picture = rng.normal(60, 12, size=(HEIGHT, WIDTH, 3)).clip(0, 255)
        picture[(rows - place[0]) ** 2 + (columns - place[1]) ** 2 < RADIUS**2] = 220
        yield picture.astype(np.uint8)
        place += velocity
        outside = (place < 6) | (place > np.array([HEIGHT, WIDTH]) - 6)
        velocity[outside] *= -1
        place += velocity * outside


def main():
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "ball.mp4")
    if path.exists():
        sys.exit(f"{path} exists already; give another name.")
    with av.open(str(path), "w") as film:
        stream = film.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.bit_rate = 400_000
        for picture in pictures(np.random.default_rng(1)):
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            film.mux(stream.encode(frame))
        film.mux(stream.encode())
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
