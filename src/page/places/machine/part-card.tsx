import { Sheet } from '../../app/sheet.tsx';
import { useLoaded } from '../../app/use-loaded.ts';
import type { Part } from '../../plant/plant.ts';
import { profileNamed } from '../../plant/profiles.ts';
import { Drawing } from '../../show/drawing.tsx';
import { number } from '../../show/format.ts';
import { words } from '../../words/words.ts';

interface PartCardProps {
  readonly part: Part;
  readonly machineName: string;
  /** When it was made or chosen here last; empty: not known. */
  readonly lastHere: string;
  readonly onSelect: () => void;
  readonly onClose: () => void;
}

/** A part that was scanned or tapped, with its drawing, to confirm. */
export function PartCard({ part, machineName, lastHere, onSelect, onClose }: PartCardProps) {
  const { part: said } = words.value;
  const { partId, partName } = part;
  return (
    <Sheet title={partName ?? partId} onClose={onClose}>
      <p class="dim">{[partId, lastHere].filter(Boolean).join(' · ')}</p>
      <Shape name={partName ?? partId} />
      <button type="button" class="btn btn-main btn-wide" onClick={onSelect}>
        {said.selectFor(machineName)}
      </button>
    </Sheet>
  );
}

/** The probable shape of a part. Parts do not refer to profiles, so the profile with the same name is shown. */
function Shape({ name }: { readonly name: string }) {
  const profile = useLoaded(name, () => profileNamed(name)).value;
  const { part: said, profiles, units } = words.value;
  if (profile === null || profile === 'none') return null;
  return (
    <>
      <Drawing profile={profile} />
      <p class="dim small">
        {said.profileOfName(profile.revision)} {profiles.blankWidth} {number(profile.blankWidth, 4)} {units.inch}
      </p>
    </>
  );
}
