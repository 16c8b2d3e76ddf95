import { expect, it } from 'vitest';
import { AddressBlocks, isAddressBlock } from '../../../src/runtime/network/address-blocks.ts';

it.each([
  ['10.0.0.5', true],
  ['10.0.0.0/24', true],
  ['0.0.0.0/0', true],
  ['::1', true],
  ['fd00::/8', true],
  ['2001:db8::/128', true],
  ['10.0.0.0/33', false],
  ['10.0.0.0/', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0.0/-1', false],
  ['10.0.0', false],
  ['fd00::/129', false],
  ['fe80::1%eth0', false],
  ['proxy.example', false],
  ['', false],
])('%j is a block of addresses: %s', (text, expected) => {
  expect(isAddressBlock(text)).toBe(expected);
});

it.each([
  ['10.0.0.5', true],
  ['10.0.0.6', false],
  ['::ffff:10.0.0.5', true],
  ['192.168.7.255', true],
  ['192.168.8.0', false],
  ['fd12::1', true],
  ['fe80::1%eth0', true],
  ['::ffff:11.0.0.5', false],
  ['unknown', false],
  ['', false],
])('the blocks contain %j: %s', (address, expected) => {
  const blocks = new AddressBlocks(['10.0.0.5', '192.168.4.0/22', 'fd00::/8', 'fe80::/10']);
  expect(blocks.contains(address)).toBe(expected);
});
