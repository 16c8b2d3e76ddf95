import { useMemo } from 'preact/hooks';
import { qrCode } from '../../domain/qr/qr-code.ts';

/** The light edge around a code. */
const BORDER = 4;

/** A QR code that still reads when a seventh of it is scratched off. `label` names it for those who cannot see it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, path } = useMemo(() => drawn(text), [text]);
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} />
    </svg>
  );
}

function drawn(text: string): { readonly size: number; readonly path: string } {
  const rows = qrCode(text);
  const path = rows
    .flatMap((row, y) => row.map((one, x) => (one === 1 ? `M${x + BORDER} ${y + BORDER}h1v1h-1z` : '')))
    .join('');
  return { size: rows.length + 2 * BORDER, path };
}
