import { amend, route } from '../../app/route.ts';

interface OpenForm {
  /** The id of the record in the form, '' for a new one; null: no form is open. */
  readonly form: string | null;
  readonly open: (id: string) => void;
  readonly close: () => void;
}

/** The form of this tab that is open. It stands in the address, so a link can open it and a reload keeps it. */
export function useForm(): OpenForm {
  const { value: shown } = route;
  const { tab, form = null } = shown.place === 'admin' ? shown : {};
  const here = { place: 'admin', ...(tab !== undefined && { tab }) } as const;
  return { form, open: (id) => amend({ ...here, form: id }), close: () => amend(here) };
}
