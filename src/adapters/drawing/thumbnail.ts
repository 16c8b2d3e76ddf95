import { Resvg } from '@resvg/resvg-wasm';
import { type Drawn, profileOutline } from '../../domain/profile/drawing.ts';

const FRAME = { width: 256, height: 160 };

/** A profile as a small PNG on a transparent ground, as a data URL. The renderer must have been set up before. */
export function thumbnailOf(drawn: Drawn): string {
  const picture = new Resvg(profileOutline(drawn, FRAME), { font: { loadSystemFonts: false } });
  try {
    const image = picture.render();
    try {
      return `data:image/png;base64,${Buffer.from(image.asPng()).toString('base64')}`;
    } finally {
      image.free();
    }
  } finally {
    picture.free();
  }
}
