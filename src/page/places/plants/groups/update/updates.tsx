import { useSignal } from '@preact/signals';
import { STOP_REASONS } from '../../../../../domain/fleet/update/roll-out.ts';
import type { RollOutView } from '../../../../../flows/fleet-update/roll-out-view.ts';
import { call } from '../../../../api/call.ts';
import { isDone } from '../../../../app/tell-outcome.ts';
import { useResource } from '../../../../app/use-resource.ts';
import { plantName, seesSeveral } from '../../../../several-plants/own-plants.ts';
import { Icon } from '../../../../show/icon.tsx';
import { fleetWords } from '../../fleet-words.ts';
import { type GroupView, mayChangeGroups, pathOfGroup } from '../use-groups.ts';
import { BeginUpdate } from './begin-update.tsx';

const LOOK_AGAIN_MS = 5_000;

interface Loaded {
  readonly update: RollOutView | null;
}

/** The last update of a group's gateways: how far is it, and why has it stopped? */
export function Updates({ group }: { readonly group: GroupView }) {
  const isOpen = useSignal(false);
  const loads = useSignal(0);
  const { updates: texts } = fleetWords.value;
  const path = `${pathOfGroup(group)}/update`;
  const loaded = useResource<Loaded>(`${path} ${loads.value}`, () => call('GET', path), { everyMs: LOOK_AGAIN_MS });
  if (loaded.value === null) return null;
  const { update } = loaded.value;
  const act = async (what: 'stop' | 'goOn') => {
    if (isDone(await call('POST', `${path}/${what}`))) loads.value += 1;
  };
  return (
    <section class="pane flush" aria-label={texts.title}>
      <div class="head">
        <h2 class="h3 grow">{texts.title}</h2>
        {mayChangeGroups() && update?.state === 'running' && (
          <button type="button" class="btn" onClick={() => void act('stop')}>
            {texts.stop}
          </button>
        )}
        {mayChangeGroups() && update?.state === 'stopped' && (
          <button type="button" class="btn" onClick={() => void act('goOn')}>
            {update.why.endsWith(STOP_REASONS.untried) ? texts.goOnUntried : texts.goOn}
          </button>
        )}
        {mayChangeGroups() && update?.state !== 'running' && group.gateways.length > 0 && (
          <button type="button" class="btn" onClick={() => (isOpen.value = true)}>
            {texts.begin}
          </button>
        )}
      </div>
      {update === null ? <p class="row pad dim">{texts.none}</p> : <Progress group={group} update={update} />}
      {isOpen.value && (
        <BeginUpdate
          group={group}
          onClose={() => (isOpen.value = false)}
          onDone={() => {
            isOpen.value = false;
            loads.value += 1;
          }}
        />
      )}
    </section>
  );
}

function Progress({ group, update }: { readonly group: GroupView; readonly update: RollOutView }) {
  const { updates: texts, groups } = fleetWords.value;
  const { version, state, why, gateways } = update;
  const have = gateways.filter(({ standing }) => standing === 'done').length;
  return (
    <>
      <p class="row pad">
        <b>
          {state === 'stopped' && <Icon name="warn" />} {texts.state[state](version)}
        </b>
        <span class="dim">{texts.have(have, gateways.length)}</span>
        {why !== '' && <span class="mark-amber">{texts.reason(why)}</span>}
      </p>
      <table class="table cards-s">
        <thead>
          <tr>
            <th>{groups.gateways}</th>
            <th>{texts.standing}</th>
            <th>{texts.runs}</th>
          </tr>
        </thead>
        <tbody>
          {gateways.map((gateway) => (
            <Row
              key={gateway.gatewayId}
              update={update}
              gateway={gateway}
              plantId={group.gateways.find(({ gatewayId }) => gatewayId === gateway.gatewayId)?.plantId ?? null}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}

interface RowProps {
  readonly update: RollOutView;
  readonly gateway: RollOutView['gateways'][number];
  /** Null: not known. */
  readonly plantId: string | null;
}

function Row({ update, plantId, gateway: { gatewayId, standing, version, why, receivedBytes } }: RowProps) {
  const { updates: texts } = fleetWords.value;
  const share = Math.floor((receivedBytes / update.bytes) * 100);
  return (
    <tr>
      <td>
        {gatewayId}
        {plantId !== null && seesSeveral() && <p class="dim small">{plantName(plantId)}</p>}
      </td>
      <td data-k={texts.standing} class={standing === 'failed' ? 'mark-amber' : ''}>
        {standing === 'failed' && <Icon name="warn" />} {texts.standings[standing]}
        {standing === 'taking' && receivedBytes > 0 && `, ${texts.received(share)}`}
        {why !== '' && <p class="small">{texts.reason(why)}</p>}
      </td>
      <td data-k={texts.runs}>{version ?? '–'}</td>
    </tr>
  );
}
