import { type DimensionTexts, dimensionedDrawing } from '../../domain/profile/dimensioned-drawing.ts';
import { profileDrawing } from '../../domain/profile/drawing.ts';
import type { ProfileContent } from '../../domain/profile/profile.ts';

interface DrawingProps {
  readonly profile: Pick<ProfileContent, 'profileName' | 'features' | 'paintedSide'>;
  /** Writes sizes; left out, the drawing has no dimensions. */
  readonly texts?: DimensionTexts;
  /** The place of the feature that is pointed at. */
  readonly selected?: number | null;
  readonly onSelect?: (place: number) => void;
}

/** The cross-section, by the same geometry as the thumbnails that machines get. */
export function Drawing({ profile, texts, selected = null, onSelect }: DrawingProps) {
  // The element around it has the name.
  const drawn = texts === undefined ? profileDrawing(profile) : dimensionedDrawing(profile, texts, selected);
  const svg = drawn.replace('role="img"', 'aria-hidden="true"');
  const point = ({ target }: MouseEvent) => {
    const place = target instanceof SVGElement ? target.dataset.feature : undefined;
    if (place !== undefined) onSelect?.(Number(place));
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table of bends does the same by keyboard.
    <div
      class="drawing"
      role="img"
      aria-label={profile.profileName}
      data-selected={selected}
      onClick={point}
      // The drawing is made of numbers alone: no text of a profile is in it.
      dangerouslySetInnerHTML={{ __html: selected === null ? svg : marked(svg, selected) }}
    />
  );
}

function marked(svg: string, place: number): string {
  return svg.replace(` data-feature="${place}"`, ` class="sel" data-feature="${place}"`);
}
