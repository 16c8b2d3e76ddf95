import { BlockList, isIP } from 'node:net';

/** Addresses and networks of IPv4 and IPv6, as `10.0.0.5`, `10.0.0.0/8`, `fd00::/8`. */
export class AddressBlocks {
  readonly #list = new BlockList();

  /** Each block must be one by `isAddressBlock`. */
  constructor(blocks: readonly string[]) {
    for (const block of blocks) {
      const { address, family, prefix } = partsOf(block);
      if (prefix === null) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, prefix, family);
    }
  }

  /** Whether one of the blocks contains the address. An IPv4 address counts in its IPv6 form too (`::ffff:10.0.0.5`). */
  contains(address: string): boolean {
    const [bare = ''] = address.split('%', 1);
    return isIP(bare) !== 0 && this.#list.check(bare, familyOf(bare));
  }
}

export function isAddressBlock(text: string): boolean {
  const { address, family, prefix, more } = partsOf(text);
  if (isIP(address) === 0 || address.includes('%') || more) return false;
  return prefix === null || (Number.isInteger(prefix) && prefix <= (family === 'ipv4' ? 32 : 128));
}

function partsOf(block: string) {
  const [address = '', length, ...rest] = block.split('/');
  const prefix = length === undefined ? null : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return { address, family: familyOf(address), prefix, more: rest.length > 0 };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}
