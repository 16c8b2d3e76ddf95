import { useSignal } from '@preact/signals';
import type { GatewayView } from '../../../../flows/receive/gateway-view.ts';
import { call } from '../../../api/call.ts';
import { Frame } from '../../../app/frame.tsx';
import { Question } from '../../../app/question.tsx';
import { go } from '../../../app/route.ts';
import { isDone } from '../../../app/tell-outcome.ts';
import { mayRead } from '../../../people/who.ts';
import { gatewayName, loadFleet } from '../../../plant/fleet.ts';
import { plantName, seesSeveral } from '../../../several-plants/own-plants.ts';
import { now } from '../../../show/clock.ts';
import { age, number, timeOrDate } from '../../../show/format.ts';
import { Icon } from '../../../show/icon.tsx';
import { Link } from '../../../show/link.tsx';
import { words } from '../../../words/words.ts';
import { RecordForm } from '../../admin/record-form.tsx';
import { GatewayActs } from '../../events/gateway-acts.tsx';
import { isAnswered, OldNews, sentencesAt, useFleet } from '../fleet-news.tsx';
import { fleetWords } from '../fleet-words.ts';
import { Needs } from '../needs.tsx';
import { Plants } from '../plants.tsx';
import { clockText, diskText } from './gateway-rows.tsx';

/** The place of a gateway. It may be gone, or not this person's. */
export function GatewayPlace({ gatewayId }: { readonly gatewayId: string }) {
  const gateway = useFleet().find((one) => one.gatewayId === gatewayId);
  if (gateway !== undefined) return <Facts gateway={gateway} />;
  if (isAnswered.value !== true) return <Plants />;
  const { gone } = fleetWords.value;
  return (
    <Frame
      answer={gone.gateway}
      more={gone.hint}
      back={{ to: { place: 'plants' }, label: words.value.places.plants }}
      children={null}
    />
  );
}

/** One gateway: what is wrong, what it told last, and its machines that need a person. */
function Facts({ gateway }: { readonly gateway: GatewayView }) {
  const texts = fleetWords.value;
  const { alerts, places, trouble } = words.value;
  const { gatewayId, plantId, name: given, health, contact, machines, lastContactAt, principal } = gateway;
  const count = (of: number | null | undefined) => (of === null || of === undefined ? '–' : number(of));
  const until = (at: string | null | undefined) => (at ? timeOrDate(at) : '–');
  const old = contact.state === 'silent' && health !== null ? `, ${trouble.asOf(timeOrDate(health.at))}` : '';
  const facts: readonly (readonly [string, string | number])[] = [
    ...(seesSeveral() ? [[texts.plant, plantName(plantId)] as const] : []),
    [texts.columns.contact, `${timeOrDate(lastContactAt)} (${age(now.value - Date.parse(lastContactAt))})`],
    [texts.columns.version, health?.version ?? '–'],
    [words.value.admin.tabs.machines, machines],
    [texts.columns.waiting, `${count(health?.queue.records)}${old}`],
    [texts.setAside, `${count(health?.setAside)}${old}`],
    [texts.openAlerts, `${count(health?.openAlerts)}${old}`],
    [texts.columns.clock, `${clockText(gateway)}${old}`],
    [texts.columns.disk, `${diskText(gateway)}${old}`],
    [alerts.kinds.backup, until(health?.backup?.newestAt)],
    [alerts.kinds.certificate, until(health?.certificateUntil)],
    [texts.key, principal],
  ];
  return (
    <Frame
      answer={gatewayName(gateway)}
      more={given === null ? '' : gatewayId}
      back={{ to: { place: 'plants' }, label: places.plants }}
    >
      <div class="cols cols-even">
        <section class="pane stack" aria-label={gatewayId}>
          <OldNews />
          {sentencesAt(gateway).map((text) => (
            <p key={text} class="mark-amber">
              <Icon name="warn" /> {text}
            </p>
          ))}
          <dl class="facts">
            {facts.map(([name, value]) => (
              <div class="fact" key={name}>
                <dt>{name}</dt>
                <dd class="num">{value}</dd>
              </div>
            ))}
          </dl>
          <div class="row">
            <Link to={{ place: 'plants', production: gatewayId }} class="btn">
              {texts.production.title}
              <Icon name="right" />
            </Link>
          </div>
          <Changes gateway={gateway} />
        </section>
        <div class="stack">
          <Needs gateways={[gateway]} isOfSeveral={false} />
          {mayRead('technician') && <GatewayActs gateway={gateway} />}
        </div>
      </div>
    </Frame>
  );
}

/** A supervisor gives a gateway a name; an administrator retires one that is silent (D-98). */
function Changes({ gateway }: { readonly gateway: GatewayView }) {
  const open = useSignal<'nothing' | 'name' | 'end'>('nothing');
  const texts = fleetWords.value;
  const { admin, alerts } = words.value;
  const { gatewayId, name, contact } = gateway;
  const path = `/gateways/${encodeURIComponent(gatewayId)}`;
  const close = () => {
    open.value = 'nothing';
  };
  const retire = async () => {
    close();
    if (!isDone(await call('DELETE', path))) return;
    loadFleet();
    go({ place: 'plants' });
  };
  if (!mayRead('supervisor')) return null;
  return (
    <div class="row">
      <button type="button" class="btn" onClick={() => (open.value = 'name')}>
        {texts.rename}
      </button>
      {contact.state === 'silent' && mayRead('admin') && (
        <button type="button" class="btn" onClick={() => (open.value = 'end')}>
          {texts.retire}
        </button>
      )}
      {open.value === 'name' && (
        <RecordForm
          title={gatewayId}
          path={path}
          method="PUT"
          fields={[{ name: 'name', label: admin.name, value: name ?? '' }]}
          bodyOf={(typed) => ({ name: typed.name ?? null })}
          submit={alerts.save}
          onClose={close}
          onDone={() => {
            close();
            loadFleet();
          }}
        />
      )}
      {open.value === 'end' && (
        <Question
          title={texts.retireQuestion(gatewayName(gateway))}
          meaning={texts.retireMeans}
          act={texts.retire}
          onAct={() => void retire()}
          onClose={close}
        />
      )}
    </div>
  );
}
