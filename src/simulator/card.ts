/** A card: text on a gradient of flat rows, painted row by row in indexed colours, so that no whole image is needed. */
import { createHash } from 'node:crypto';
import { cellWidth, glyphHeight, glyphOf, lineHeight, type Glyph } from './font.ts';

/** Colours of the gradient; the two that follow are for texts. */
const shades = 96;
const colours = { text: shades, caption: shades + 1 } as const;
/** The colour numbers that texts have, and nothing else. */
export const textColours: ReadonlySet<number> = new Set([colours.text, colours.caption]);
/** Columns of text at the largest size. */
const columnsLeast = 20;
/** A card of any size shows less than this; laying out more would only hold up the event loop. */
const promptCharactersMax = 20_000;
/** Columns of the captions above and below. */
const captionColumns = 44;

export interface CardText {
  /** Wrapped and as large as the card has room for. */
  prompt: string;
  /** One line at the top, and one at the bottom. */
  top: string;
  bottom: string;
}

export interface Card {
  width: number;
  height: number;
  /** Red, green and blue of each colour. */
  palette: Uint8Array;
  /** Whether row `y` looks like the one above, so that nothing need be painted. */
  repeatsAbove(y: number): boolean;
  /** Paints row `y`, one colour number a pixel. */
  paint(y: number, row: Uint8Array): void;
}

/** Lays out a card; the same text and size always give the same card. What doesn't fit at the smallest size is left out. */
export function layOutCard(width: number, height: number, text: CardText): Card {
  const margin = Math.round(Math.min(width, height) / 24);
  const room = width - 2 * margin;
  const captionDot = Math.max(1, Math.floor(room / (captionColumns * cellWidth)));
  const captionBlock = (caption: string, y: number): Block => ({
    ...{ x: margin, y, dot: captionDot, colour: colours.caption },
    lines: wrap(caption, room / captionDot).slice(0, 1),
  });
  const captionHeight = lineHeight * captionDot;
  const bottomY = height - margin - glyphHeight * captionDot;
  const shown = text.prompt.slice(0, promptCharactersMax);
  const prompt = fit(shown, room, bottomY - margin - 2 * captionHeight, width);
  const promptY = margin + captionHeight * 1.5;
  const blocks: Block[] = [
    captionBlock(text.top, margin),
    { x: margin, y: Math.round(promptY), colour: colours.text, ...prompt },
    captionBlock(text.bottom, bottomY),
  ];
  const stamps = new Int32Array(height);
  for (let y = 0; y < height; y++) stamps[y] = stampOf(y);

  return {
    width,
    height,
    palette: paletteOf(shown),
    repeatsAbove: (y) => y > 0 && stamps[y] === stamps[y - 1],
    paint: (y, row) => {
      row.fill(shadeAt(y), 0, width);
      for (const block of blocks) paintBlock(block, y, row, width - margin);
    },
  };

  /** A number that is the same for rows that look the same and are neighbours. */
  function stampOf(y: number): number {
    return blocks.reduce((sum, block) => sum * 1_000 + (rowInBlock(block, y)?.glyphRow ?? 500), shadeAt(y)) | 0;
  }

  function shadeAt(y: number): number {
    return Math.floor((y * shades) / height);
  }
}

interface Block {
  x: number;
  y: number;
  /** Pixels of a half dot. */
  dot: number;
  colour: number;
  lines: readonly (readonly Glyph[])[];
}

/** The largest size at which the text fits; at the smallest, the lines that fit. */
function fit(prompt: string, room: number, height: number, width: number): Pick<Block, 'dot' | 'lines'> {
  for (let dot = Math.max(1, Math.floor(width / (columnsLeast * cellWidth))); ; dot--) {
    const lines = wrap(prompt, room / dot);
    const linesMax = Math.max(1, Math.floor(height / (lineHeight * dot)));
    if (lines.length <= linesMax || dot <= 1) return { dot, lines: lines.slice(0, linesMax) };
  }
}

/** Breaks lines at spaces, between boxes, and within words that are longer than a line. `room` is in half dots. */
function wrap(text: string, room: number): Glyph[][] {
  const lines: Glyph[][] = [];
  for (const paragraph of text.split('\n')) {
    let line: Glyph[] = [];
    let used = 0;
    for (const [piece] of paragraph.matchAll(/ +|[!-~]+|[^ -~]/gu)) {
      const glyphs = Array.from(piece, (letter) => glyphOf(letter.codePointAt(0) ?? 0x20));
      const pieceWidth = widthOf(glyphs);
      if (used + pieceWidth > room && line.length > 0) {
        lines.push(line);
        [line, used] = [[], 0];
        if (piece.startsWith(' ')) continue;
      }
      for (const glyph of glyphs) {
        if (used + glyph.width > room && line.length > 0) {
          lines.push(line);
          [line, used] = [[], 0];
        }
        line.push(glyph);
        used += glyph.width;
      }
    }
    lines.push(line);
  }
  return lines;
}

const widthOf = (glyphs: readonly Glyph[]): number => glyphs.reduce((sum, { width }) => sum + width, 0);

function rowInBlock(block: Block, y: number): { line: readonly Glyph[]; glyphRow: number } | undefined {
  const down = Math.floor((y - block.y) / block.dot);
  const line = block.lines[Math.floor(down / lineHeight)];
  const glyphRow = down % lineHeight;
  return down < 0 || line === undefined || glyphRow >= glyphHeight ? undefined : { line, glyphRow };
}

function paintBlock(block: Block, y: number, row: Uint8Array, end: number): void {
  const found = rowInBlock(block, y);
  if (found === undefined) return;
  let x = block.x;
  for (const { width, rows } of found.line) {
    const bits = rows[found.glyphRow] ?? 0;
    for (let at = 0; bits !== 0 && at < width; at++) {
      if (((bits >> (width - 1 - at)) & 1) === 0) continue;
      const start = x + at * block.dot;
      row.fill(block.colour, Math.min(start, end), Math.min(start + block.dot, end));
    }
    x += width * block.dot;
  }
}

/** A dark gradient between two hues that the prompt decides, white text, and a lighter tone for captions. */
function paletteOf(prompt: string): Uint8Array {
  const seed = createHash('sha256').update(prompt).digest();
  const hue = (seed.readUInt16BE(0) / 65_536) * 360;
  const turn = 40 + (seed.readUInt16BE(2) / 65_536) * 80;
  const gradient = Array.from({ length: shades }, (_, at) => {
    const part = at / (shades - 1);
    return rgbOf(hue + turn * part, 0.55, 0.2 + 0.22 * part);
  });
  return Uint8Array.from([...gradient, [255, 255, 255], rgbOf(hue, 0.8, 0.84)].flat());
}

/** CSS Color 4, section 7: HSL to RGB. */
function rgbOf(hue: number, saturation: number, lightness: number): number[] {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((offset) => {
    const k = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  });
}
