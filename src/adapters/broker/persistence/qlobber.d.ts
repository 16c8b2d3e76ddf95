declare module 'qlobber/aedes/qlobber-sub.js' {
  interface SubscriptionEntry {
    readonly clientId: string;
    readonly topic: string;
    readonly qos: 0 | 1 | 2;
    readonly rh?: number | undefined;
    readonly rap?: boolean | undefined;
    readonly nl?: boolean | undefined;
  }

  class QlobberSub {
    constructor(options: { wildcard_one: string; wildcard_some: string; separator: string });
    readonly subscriptionsCount: number;
    add(topic: string, subscription: SubscriptionEntry): this;
    remove(topic: string, subscription: Pick<SubscriptionEntry, 'clientId' | 'topic'>): this;
    match(topic: string): SubscriptionEntry[];
  }

  export = QlobberSub;
}
