// Time: where one is in the runs, and how one goes on, back, or anywhere.

/** How fast one plays: cycles a frame, and frames a second at most. */
export const SPEEDS = [
  {cycles: 1, rate: 2}, {cycles: 1, rate: 8}, ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((cycles) => ({cycles, rate: 60})),
];

/** The next time that the browser draws. */
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

export class Player {
  /** Where one is, in cycles of the nominal clock, or in steps. */
  now = 0;
  isPlaying = false;
  speed = SPEEDS[2];
  /** Frames that have been shown. */
  shown = 0;
  #source;
  #runs;
  #layers;
  #show;
  #fail;
  #abort = null;
  #ended;
  #wanted = 0;

  /** `layers()`: which layers of frames are needed; `show(frames)`: shows them; `fail(error)`: reports one. */
  constructor(source, runs, {layers, show, fail, ended}) {
    [this.#source, this.#runs, this.#layers, this.#show, this.#fail, this.#ended] = [source, runs, layers, show, fail, ended];
  }

  /** The frames of all runs at a time: what is counted in the stretch before it. */
  #frames(now, signal) {
    const before = Math.max(0, now - this.speed.cycles);
    return Promise.all(this.#runs.map((run, index) =>
      this.#source.frame(index, Math.round(before * run.cycle_time), Math.round(now * run.cycle_time), this.#layers(), signal)));
  }

  #stop() {
    this.#abort?.abort();
    this.#abort = new AbortController();
    return this.#abort.signal;
  }

  #put(now, frames) {
    // Beyond the end, time stands still.
    const reached = frames.map((frame, index) => frame.to / this.#runs[index].cycle_time);
    if (this.#source.times) now = Math.max(...reached);
    this.now = frames.every((frame) => frame.ended) ? Math.min(now, Math.max(...reached)) : now;
    this.shown++;
    this.#show(frames);
  }

  /** Goes to a time. A later wish replaces an earlier one. */
  async go(now) {
    this.pause();
    now = Math.max(0, now);
    const signal = this.#stop();
    const wish = ++this.#wanted;
    try {
      const frames = await this.#frames(now, signal);
      if (wish === this.#wanted) this.#put(now, frames);
    } catch (error) {
      if (error.name !== "AbortError") this.#fail(error);
    }
  }

  /** The time that is one step away. */
  next(steps) {
    const times = this.#source.times?.(0).map((time) => time / this.#runs[0].cycle_time);
    if (!times) return Math.max(0, (Number.isInteger(this.now) || steps < 0 ? Math.ceil(this.now) : Math.floor(this.now)) + steps);
    const at = Math.max(0, times.findLastIndex((time) => time <= this.now));
    return times[Math.max(0, Math.min(times.length - 1, at + steps))];
  }

  #nextPlayed(from) {
    if (!this.#source.times) return from + this.speed.cycles;
    this.now = from;
    return this.next(1);
  }

  pause() {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.#stop();
  }

  /** Plays until it is paused, or nothing more happens: the next frame is made while the last one is drawn. */
  async play() {
    const signal = this.#stop();
    this.#wanted++;
    this.isPlaying = true;
    try {
      let now = this.#nextPlayed(this.now);
      let coming = this.#frames(now, signal);
      while (this.isPlaying && !signal.aborted) {
        const begun = performance.now();
        const frames = await coming;
        if (signal.aborted) return;
        const isOver = frames.every((frame) => frame.ended);
        const following = this.#nextPlayed(now);
        const isLast = isOver || following === now;
        if (!isLast) coming = this.#frames(following, signal);
        this.#put(now, frames);
        if (isLast) {
          this.isPlaying = false;
          this.#ended();
          return;
        }
        now = following;
        do await nextFrame(); while (performance.now() - begun < 1000 / this.speed.rate - 4);
      }
      coming.catch(() => {});
    } catch (error) {
      if (signal.aborted) return;
      this.isPlaying = false;
      this.#fail(error);
      this.#ended();
    }
  }
}

