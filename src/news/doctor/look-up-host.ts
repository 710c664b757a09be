import { lookup } from 'node:dns/promises';
import { AddressPolicy, type AddressVerdict } from '../../common/http/address-policy.js';
import { errorCode } from '../../common/http/outgoing-errors.js';

/** The kinds of addresses that a host name resolves to. The addresses themselves are not disclosed. */
export type HostFindings =
  | { readonly found: true; readonly verdicts: readonly AddressVerdict[] }
  | { readonly found: false; readonly code: string };

/** @param allowedCidrs private networks that the operator allows */
export async function lookUpHost(
  hostname: string,
  allowedCidrs: readonly string[],
): Promise<HostFindings> {
  const policy = new AddressPolicy(allowedCidrs);
  try {
    const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
    return { found: true, verdicts: addresses.map(({ address }) => policy.judge(address)) };
  } catch (error) {
    return { found: false, code: errorCode(error) };
  }
}
