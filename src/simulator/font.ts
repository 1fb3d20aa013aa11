/**
 * A bitmap font for printable ASCII, and boxes with hexadecimal digits for everything else. A glyph is 16 rows of bits
 * on a grid of half dots: letters are 5 by 7 dots, the digits of the boxes 3 by 5 half dots.
 */
export interface Glyph {
  /** In half dots, the gap to the next glyph included. */
  width: number;
  /** 16 rows; the leftmost half dot is bit `width` - 1. */
  rows: readonly number[];
}

/** Half dots from one text line to the next, and of one plain glyph. */
export const lineHeight = 20;
export const cellWidth = 12;
export const glyphHeight = 16;

/** The glyph of a code point: control characters are blank, what is not ASCII shows its hexadecimal number in a box. */
export function glyphOf(codePoint: number): Glyph {
  if (codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0)) return blank;
  if (codePoint < 0x7f) return (letters[codePoint - 0x20] ??= letterGlyph(codePoint));
  return boxGlyph(codePoint);
}

const blank: Glyph = { width: cellWidth, rows: Array<number>(glyphHeight).fill(0) };
const letters: (Glyph | undefined)[] = [];

/** Five columns a letter, from space on; the top dot of a column is bit 0. */
const columns =
  '0000000000' +
  '00005f0000' +
  '0007000700' +
  '147f147f14' +
  '242a7f2a12' +
  '2313086462' +
  '3649562050' +
  '0008070300' +
  '001c224100' +
  '0041221c00' +
  '2a1c7f1c2a' +
  '08083e0808' +
  '0080703000' +
  '0808080808' +
  '0000606000' +
  '2010080402' +
  '3e5149453e' +
  '00427f4000' +
  '7249494946' +
  '2141494d33' +
  '1814127f10' +
  '2745454539' +
  '3c4a494931' +
  '4121110907' +
  '3649494936' +
  '464949291e' +
  '0000140000' +
  '0040340000' +
  '0008142241' +
  '1414141414' +
  '0041221408' +
  '0201590906' +
  '3e415d594e' +
  '7c1211127c' +
  '7f49494936' +
  '3e41414122' +
  '7f4141413e' +
  '7f49494941' +
  '7f09090901' +
  '3e41415173' +
  '7f0808087f' +
  '00417f4100' +
  '2040413f01' +
  '7f08142241' +
  '7f40404040' +
  '7f021c027f' +
  '7f0408107f' +
  '3e4141413e' +
  '7f09090906' +
  '3e4151215e' +
  '7f09192946' +
  '2649494932' +
  '03017f0103' +
  '3f4040403f' +
  '1f2040201f' +
  '3f4038403f' +
  '6314081463' +
  '0304780403' +
  '6159494d43' +
  '007f414141' +
  '0204081020' +
  '004141417f' +
  '0402010204' +
  '4040404040' +
  '0003070800' +
  '2054547840' +
  '7f28444438' +
  '3844444428' +
  '384444287f' +
  '3854545418' +
  '00087e0902' +
  '18a4a49c78' +
  '7f08040478' +
  '00447d4000' +
  '2040403d00' +
  '7f10284400' +
  '00417f4000' +
  '7c04780478' +
  '7c08040478' +
  '3844444438' +
  'fc18242418' +
  '18242418fc' +
  '7c08040408' +
  '4854545424' +
  '04043f4424' +
  '3c4040207c' +
  '1c2040201c' +
  '3c4030403c' +
  '4428102844' +
  '4c9090907c' +
  '4464544c44' +
  '0008364100' +
  '0000770000' +
  '0041360800' +
  '0201020402';

/** Five rows of three bits for each hexadecimal digit. */
const digits = '75557 26227 71747 71717 55711 74717 74757 71111 75757 75717 75755 65656 74447 65556 74747 74744'.split(
  ' ',
);

function letterGlyph(codePoint: number): Glyph {
  const at = (codePoint - 0x20) * 10;
  const bits = [0, 2, 4, 6, 8].map((offset) => Number.parseInt(columns.slice(at + offset, at + offset + 2), 16));
  const rows = Array.from({ length: glyphHeight }, (_, row) =>
    bits.reduce((sum, column, x) => (((column >> (row >> 1)) & 1) === 1 ? sum | (0b11 << (10 - 2 * x)) : sum), 0),
  );
  return { width: cellWidth, rows };
}

/** Two digits above two, or three above three for code points above FFFF. */
function boxGlyph(codePoint: number): Glyph {
  const perRow = codePoint > 0xffff ? 3 : 2;
  const hex = codePoint.toString(16).padStart(2 * perRow, '0');
  const width = 4 * perRow + 4;
  const frame = (1 << (width - 1)) | 0b10;
  const rows = Array.from({ length: glyphHeight }, (_, row) => {
    if (row === 15) return 0;
    if (row === 0 || row === 14) return (1 << width) - 2;
    const [half, digitRow] = row < 8 ? [0, row - 2] : [1, row - 8];
    const shown = hex.slice(half * perRow, (half + 1) * perRow);
    return Array.from(shown).reduce((sum, digit, x) => {
      const three = Number(digits[Number.parseInt(digit, 16)]?.[digitRow] ?? 0);
      return sum | (three << (width - 5 - 4 * x));
    }, frame);
  });
  return { width, rows };
}
