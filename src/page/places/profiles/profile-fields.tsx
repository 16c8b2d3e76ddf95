import { SIDES, type Side } from '../../../domain/profile/profile.ts';
import { useResource } from '../../app/use-resource.ts';
import { FieldFault, marksOf } from '../../form/field-fault.tsx';
import { type Profile, readCatalogs } from '../../plant/profiles.ts';
import { words } from '../../words/words.ts';

interface ProfileFieldsProps {
  readonly profile: Profile;
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (fields: Partial<Profile>) => void;
}

/** The fields of a profile, besides its features. */
export function ProfileFields({ profile, faults, onChange }: ProfileFieldsProps) {
  const { profiles: texts } = words.value;
  const catalogs = useResource('', readCatalogs).value ?? [];
  const text = (name: 'profileName' | 'description' | 'category' | 'subCategory', label: string) => {
    const id = `profile-${name}`;
    const fault = faults.get(name) ?? null;
    return (
      <div class="field">
        <label for={id}>{label}</label>
        <input
          id={id}
          {...marksOf(fault, id)}
          value={profile[name] ?? ''}
          onInput={({ currentTarget: { value } }) =>
            onChange({ [name]: value === '' && name !== 'profileName' ? null : value })
          }
        />
        <FieldFault fault={fault} id={id} />
      </div>
    );
  };
  const catalogFault = faults.get('owningCatalogId') ?? null;
  return (
    <section class="pane cols cols-2">
      {text('profileName', texts.name)}
      {text('description', texts.note)}
      {text('category', texts.category)}
      {text('subCategory', texts.subCategory)}
      <div class="field">
        <label for="profile-side">{texts.paintedSide}</label>
        <select
          id="profile-side"
          value={profile.paintedSide ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ paintedSide: sideOf(value) })}
        >
          <option value="">{texts.noSide}</option>
          {SIDES.map((side) => (
            <option key={side} value={side}>
              {texts.sides[side]}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="profile-catalog">{texts.catalog}</label>
        <select
          id="profile-catalog"
          {...marksOf(catalogFault, 'profile-catalog')}
          value={profile.owningCatalogId}
          onChange={({ currentTarget: { value } }) => onChange({ owningCatalogId: Number(value) })}
        >
          {catalogs.map(({ catalogId, name }) => (
            <option key={catalogId} value={catalogId}>
              {name}
            </option>
          ))}
        </select>
        <FieldFault fault={catalogFault} id="profile-catalog" />
      </div>
    </section>
  );
}

function sideOf(value: string): Side | null {
  return SIDES.find((side) => side === value) ?? null;
}
