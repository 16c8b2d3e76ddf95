import { messageText } from '../../domain/alert/alert-words.ts';
import type { OutgoingMessage } from '../../domain/alert/outgoing-message.ts';
import { recipientsOf } from '../../domain/alert/recipient.ts';
import type { Clock } from '../ports.ts';
import type { SendOutcome } from './alert-ports.ts';
import type { AlertSender } from './alert-sender.ts';
import type { AlertSettings, ChannelChange } from './alert-settings.ts';
import { type ChannelStateView, channelStateView } from './alert-views.ts';

export interface ChannelsFlowOptions {
  readonly settings: AlertSettings;
  readonly sender: AlertSender;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** The answer of a channel to a test. `later`: it did not take it now. */
export interface ChannelTest {
  readonly outcome: SendOutcome['kind'];
  readonly detail: string | null;
  readonly tookMs: number;
}

/** The answer of one way to a person whom a rule tells. */
export interface RuleTest extends ChannelTest {
  readonly name: string;
  readonly by: string;
}

const TEST_WORDS = {
  en: 'Test of plantgate: this channel works',
  de: 'Test von plantgate: dieser Kanal geht',
} as const;

/** The channels, whether they work, and a test of each. */
export class ChannelsFlow {
  readonly #options: ChannelsFlowOptions;

  constructor(options: ChannelsFlowOptions) {
    this.#options = options;
  }

  list(): readonly ChannelStateView[] {
    const { settings, sender } = this.#options;
    return settings.channels().map((channel) => channelStateView(channel, sender.state(channel.channelId)));
  }

  async put(channelId: string | null, change: ChannelChange): Promise<ChannelStateView> {
    const { settings, sender } = this.#options;
    const channel = await settings.putChannel(channelId, change);
    return channelStateView(channel, sender.state(channel.channelId));
  }

  async remove(channelId: string): Promise<void> {
    await this.#options.settings.removeChannel(channelId);
    this.#options.sender.forget(channelId);
  }

  /** Sends a test to everybody whom the steps of a rule name, by all their ways. Throws `not-found`. */
  async testRule(ruleId: string, language: 'en' | 'de'): Promise<readonly RuleTest[]> {
    const { settings } = this.#options;
    const { steps } = settings.rule(ruleId);
    const told = recipientsOf(
      steps.flatMap(({ to }) => to),
      null,
      settings.recipients(),
    );
    const tests = told.flatMap(({ name, ways }) =>
      ways
        .filter(({ channelId }) => settings.channel(channelId) !== undefined)
        .map(async ({ channelId, address }): Promise<RuleTest> => {
          const by = settings.knownChannel(channelId).name;
          return { name, by, ...(await this.test(channelId, address, language)) };
        }),
    );
    return Promise.all(tests);
  }

  /** Sends a test to an address of the channel and gives its answer. Throws `not-found`. */
  async test(channelId: string, address: string | null, language: 'en' | 'de'): Promise<ChannelTest> {
    const { settings, sender, clock, newId } = this.#options;
    const channel = settings.knownChannel(channelId);
    settings.checkAddress(channelId, address);
    const { monotonicMs, wallMs } = clock.now();
    const line = { alertId: 'test', telling: 'opened', severity: 'amber', text: TEST_WORDS[language] } as const;
    const { title, lines: text } = messageText([line], language);
    const to = { messageId: newId(), channelId, recipientId: 'test', address, language };
    const message: OutgoingMessage = { ...to, at: wallMs, title, text, lines: [line] };
    const outcome = await sender.test(channel, message);
    const tookMs = Math.round(clock.now().monotonicMs - monotonicMs);
    return { outcome: outcome.kind, detail: outcome.kind === 'sent' ? null : outcome.detail, tookMs };
  }
}
