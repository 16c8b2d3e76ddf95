import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { DIMENSIONED_FRAMES, overallSize } from '../../../domain/profile/dimensioned-drawing.ts';
import { type Feature, stripLength } from '../../../domain/profile/profile.ts';
import type { Profile } from '../../plant/profiles.ts';
import { Drawing } from '../../show/drawing.tsx';
import { Icon } from '../../show/icon.tsx';
import { overallText, sizeText, sizeUnit } from '../../show/profile-size.ts';
import { ScrollSection } from '../../show/scroll-section.tsx';
import { words } from '../../words/words.ts';

/** A lip of 10 mm at a panel of 500 mm is seen at the largest. */
const LARGEST = 8;

const SIZES = { length: sizeText, overall: overallText };
/** As in the style sheet. */
const isSmall = matchMedia('(max-width: 720px)');

interface DrawingPaneProps {
  readonly profile: Profile;
  /** Without a fault, so that it has a blank width. */
  readonly isSound: boolean;
  readonly selected: Signal<number | null>;
}

/** The cross-section with its dimensions, larger on request. */
export function DrawingPane({ profile, isSound, selected }: DrawingPaneProps) {
  const { profiles: texts } = words.value;
  const zoom = useSignal(1);
  // A half-typed number cannot be drawn. The drawing shows the last profile without a fault.
  const drawn = useRef(profile);
  if (isSound) drawn.current = profile;
  const { width, height } = overallSize(drawn.current.features);
  const unit = sizeUnit();
  return (
    <div class="pane stack">
      <p class="spec">
        <span>
          {texts.blankWidth}{' '}
          <b class="num">
            {isSound ? sizeText(shownWidth(profile.features)) : '–'} {unit}
          </b>
        </span>
        <span>
          {texts.overall}{' '}
          <b class="num">
            {overallText(width)} × {overallText(height)} {unit}
          </b>
        </span>
        {profile.paintedSide !== null && <span class="dim">{texts.painted}</span>}
      </p>
      <ScrollSection label={texts.drawing}>
        <div style={{ width: `${zoom.value * 100}%` }}>
          <Drawing
            profile={drawn.current}
            texts={{ ...SIZES, frame: DIMENSIONED_FRAMES[isSmall.matches ? 'small' : 'large'] }}
            selected={selected.value}
            onSelect={(place) => {
              selected.value = place;
            }}
          />
        </div>
      </ScrollSection>
      <div class="row">
        <span class="dim small grow">{texts.tapBend}</span>
        <Zoom icon="minus" label={texts.smaller} isOff={zoom.value <= 1} onPress={() => (zoom.value /= 2)} />
        <Zoom icon="plus" label={texts.larger} isOff={zoom.value >= LARGEST} onPress={() => (zoom.value *= 2)} />
      </div>
    </div>
  );
}

interface ZoomProps {
  readonly icon: string;
  readonly label: string;
  readonly isOff: boolean;
  readonly onPress: () => void;
}

function Zoom({ icon, label, isOff, onPress }: ZoomProps) {
  return (
    <button type="button" class="btn btn-icon" aria-label={label} disabled={isOff} onClick={onPress}>
      <Icon name={icon} />
    </button>
  );
}

/** Four decimals are shown, which a sum of binary fractions has right. The gateway adds exactly. */
function shownWidth(features: readonly Feature[]): number {
  return features.reduce((sum, feature) => sum + stripLength(feature), 0);
}
