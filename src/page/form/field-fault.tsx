import { Icon } from '../show/icon.tsx';
import type { Refusal } from './refusal.ts';

/** The attributes that mark the input of a field that the gateway refused. `id`: that of the input. */
export function marksOf(fault: string | null, id: string, hintId?: string) {
  const described = [hintId, ...(fault === null ? [] : [faultIdOf(id)])].filter(Boolean).join(' ');
  return { 'aria-invalid': fault !== null, 'aria-describedby': described === '' ? undefined : described };
}

/** The fault of a field, beside it. */
export function FieldFault({ fault, id }: { readonly fault: string | null; readonly id: string }) {
  if (fault === null) return null;
  return (
    <span class="err" id={faultIdOf(id)}>
      <Icon name="held" />
      {fault}
    </span>
  );
}

function faultIdOf(id: string): string {
  return `${id}-fault`;
}

/** Why a form was not taken, above its button; the faults of its fields stand beside them. */
export function RefusalNote({ refusal }: { readonly refusal: Refusal | null }) {
  if (refusal === null) return null;
  return (
    <div class="stack" role="alert">
      <p class="bold">{refusal.text}</p>
      {refusal.others.map((fault) => (
        <p class="err" key={fault}>
          <Icon name="held" />
          {fault}
        </p>
      ))}
    </div>
  );
}
