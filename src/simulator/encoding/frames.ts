/** Frames of the simulator's videos: a card that stands still, with a square that crosses it and a bar that fills. */
import type { Card } from '../card.ts';

/** Luma and chroma of the things that move, limited range: white, and a warm yellow. */
const squareColour = { y: 225, u: 90, v: 150 } as const;
const barColour = { y: 235, u: 128, v: 128 } as const;

/** Planes of Y, U and V, 4:2:0. One buffer serves for all frames, so each must be used before the next is asked for. */
export function* cardFrames(card: Card, count: number): Generator<Uint8Array> {
  const { width, height } = card;
  const still = yuvOfCard(card);
  const frame = new Uint8Array(still.length);
  const side = even(Math.min(width, height) / 8);
  const top = even(height * 0.72);
  const barTop = even(height - 8);
  for (let at = 0; at < count; at++) {
    frame.set(still);
    // Four crossings there and back, whatever the length: slow videos look slow, and no frame equals its neighbour.
    const phase = (at / count) * 4;
    const part = Math.abs((phase % 2) - 1);
    fillRectangle(
      frame,
      card,
      { x: even((width - side) * (1 - part)), y: top, width: side, height: side },
      squareColour,
    );
    const done = even((width * (at + 1)) / count);
    fillRectangle(frame, card, { x: 0, y: barTop, width: done, height: height - barTop }, barColour);
    yield frame;
  }
}

/** The same frame again and again. */
export function* stillFrames(still: Uint8Array, count: number): Generator<Uint8Array> {
  for (let at = 0; at < count; at++) yield still;
}

/** Planes of an image given by rows of red, green and blue; width and height even. */
export class YuvCanvas {
  readonly planes: Uint8Array;
  readonly #width: number;
  readonly #height: number;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.planes = new Uint8Array((width * height * 3) / 2);
  }

  /** Paints row `y`. Chroma is taken from every other pixel of every other row. */
  paint(y: number, rgb: (x: number) => readonly [number, number, number]): void {
    const chromaWidth = this.#width / 2;
    const u = this.#width * this.#height + (y >> 1) * chromaWidth;
    const v = u + chromaWidth * (this.#height / 2);
    for (let x = 0; x < this.#width; x++) {
      const [red, green, blue] = rgb(x);
      this.planes[y * this.#width + x] = 16 + (65.738 * red + 129.057 * green + 25.064 * blue) / 256;
      if ((x & 1) === 1 || (y & 1) === 1) continue;
      // ITU-R BT.601, limited range.
      this.planes[u + (x >> 1)] = 128 + (-37.945 * red - 74.494 * green + 112.439 * blue) / 256;
      this.planes[v + (x >> 1)] = 128 + (112.439 * red - 94.154 * green - 18.285 * blue) / 256;
    }
  }
}

function yuvOfCard(card: Card): Uint8Array {
  const canvas = new YuvCanvas(card.width, card.height);
  const row = new Uint8Array(card.width);
  const colours: (readonly [number, number, number])[] = [];
  for (let at = 0; at < card.palette.length; at += 3) {
    colours.push([card.palette[at] ?? 0, card.palette[at + 1] ?? 0, card.palette[at + 2] ?? 0]);
  }
  const black = [0, 0, 0] as const;
  for (let y = 0; y < card.height; y++) {
    if (!card.repeatsAbove(y)) card.paint(y, row);
    canvas.paint(y, (x) => colours[row[x] ?? 0] ?? black);
  }
  return canvas.planes;
}

interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** All of the rectangle's numbers are even. */
function fillRectangle(
  frame: Uint8Array,
  { width, height }: { width: number; height: number },
  area: Rectangle,
  colour: { y: number; u: number; v: number },
): void {
  for (let y = area.y; y < area.y + area.height; y++) {
    frame.fill(colour.y, y * width + area.x, y * width + area.x + area.width);
  }
  const chromaWidth = width / 2;
  for (const [plane, value] of [
    [0, colour.u],
    [1, colour.v],
  ] as const) {
    const start = width * height + plane * chromaWidth * (height / 2);
    for (let y = area.y / 2; y < (area.y + area.height) / 2; y++) {
      const left = start + y * chromaWidth + area.x / 2;
      frame.fill(value, left, left + area.width / 2);
    }
  }
}

const even = (value: number): number => 2 * Math.floor(value / 2);
