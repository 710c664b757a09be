import { describe, expect, it } from '@jest/globals';
import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import { AddressPolicy, AddressRefused } from './address-policy.js';

describe('The address policy', () => {
  const strict = new AddressPolicy([]);

  it.each(['8.8.8.8', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450:4001:82a::200e'])(
    'lets %s through as a public address',
    (address) => {
      expect(strict.judge(address)).toBe('public');
    },
  );

  it.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['private', '10.1.2.3'],
    ['private', '172.31.0.1'],
    ['private', '192.168.178.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['link-local, where clouds keep their secrets', '169.254.169.254'],
    ['documentation', '192.0.2.7'],
    ['benchmarking', '198.18.0.1'],
    ['multicast', '224.0.0.251'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['unique local', 'fd12:3456::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['documentation', '2001:db8::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped, even of a public address', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-translated', '::ffff:0:10.0.0.1'],
    ['NAT64', '64:ff9b::10.0.0.1'],
    ['local NAT64', '64:ff9b:1::10.0.0.1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:53aa:64c::1'],
    ['outside of what is handed out', '4000::1'],
    ['not an address', 'example.org'],
    ['empty', ''],
  ])('refuses what is %s: %s', (_why, address) => {
    expect(strict.judge(address)).toBe('refused');
  });

  it.each(['127.1', '0177.0.0.1', '0x7f000001', '2130706433'])(
    'reads the loopback address in the spelling %s',
    (address) => {
      expect(strict.judge(address)).toBe('refused');
    },
  );

  it('lets listed private addresses through, and only those', () => {
    const policy = new AddressPolicy(['10.20.0.0/16', 'fd00:1::/32']);

    expect(policy.judge('10.20.30.40')).toBe('allow-listed');
    expect(policy.judge('fd00:1::9')).toBe('allow-listed');
    expect(policy.judge('10.21.0.1')).toBe('refused');
    expect(policy.judge('fd00:2::9')).toBe('refused');
  });

  it('does not mistake an embedded IPv4 address for a listed one', () => {
    const policy = new AddressPolicy(['127.0.0.0/8']);

    expect(policy.judge('::ffff:127.0.0.1')).toBe('refused');
  });

  it('calls a public address public even when it is listed', () => {
    expect(new AddressPolicy(['0.0.0.0/0']).judge('8.8.8.8')).toBe('public');
  });
});

describe('The lookup of the address policy', () => {
  const policy = new AddressPolicy(['10.20.0.0/16']);

  it('yields the permitted ones of several addresses', async () => {
    const found = await lookUpAll(policy, ['127.0.0.1', '8.8.8.8', '10.20.0.1', '::1']);

    expect(found).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '10.20.0.1', family: 4 },
    ]);
  });

  it('fails when none is permitted', async () => {
    await expect(lookUpAll(policy, ['127.0.0.1', '::1'])).rejects.toThrow(AddressRefused);
  });

  it('yields the first permitted address to a caller that wants one', async () => {
    const found = await new Promise((resolve) => {
      policy.lookup(resolvingTo(['192.168.0.1', '8.8.4.4']))(
        'two.example',
        {},
        (_error, address, family) => resolve({ address, family }),
      );
    });

    expect(found).toEqual({ address: '8.8.4.4', family: 4 });
  });

  it('passes on that a name does not exist', async () => {
    const failing = policy.lookup((_hostname, _options, callback) =>
      callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []),
    );

    const error = await new Promise((resolve) => {
      failing('nowhere.example', { all: true }, (lookupError) => resolve(lookupError));
    });

    expect(error).toMatchObject({ code: 'ENOTFOUND' });
  });
});

describe('A guarded agent', () => {
  it.each(['http://127.0.0.1:9/', 'http://[::1]:9/', 'http://localhost:9/'])(
    'refuses %s without opening a connection',
    async (url) => {
      const agent = new http.Agent();
      new AddressPolicy([]).guard(agent);

      const error = await new Promise((resolve) => {
        http.get(url, { agent }).on('error', resolve);
      });

      expect(error).toBeInstanceOf(AddressRefused);
    },
  );
});

function resolvingTo(addresses: readonly string[]): Parameters<AddressPolicy['lookup']>[0] {
  return (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
}

function lookUpAll(
  policy: AddressPolicy,
  addresses: readonly string[],
): Promise<string | LookupAddress[]> {
  return new Promise((resolve, reject) => {
    policy.lookup(resolvingTo(addresses))('several.example', { all: true }, (error, found) =>
      error ? reject(error) : resolve(found),
    );
  });
}
