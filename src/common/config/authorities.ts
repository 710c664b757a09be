import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';

/** A bundle of certificates of private authorities. */
export interface Authorities {
  readonly file: string;
  /** In PEM form. */
  readonly certificates: readonly string[];
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** @throws Error with the rule that the setting breaks */
export function readAuthorities(file: string): Authorities {
  const certificates = certificatesOf(file);
  if (certificates.length === 0) {
    throw new Error('must name a PEM file with certificates that can be read');
  }
  if (tls.setDefaultCACertificates === undefined) {
    throw new Error('needs Node.js 22.19 or 24.5; with older ones, set NODE_EXTRA_CA_CERTS');
  }
  return { file, certificates };
}

let builtIn: string[] | undefined;

/**
 * Trusts these authorities beside the built-in ones and those of `NODE_EXTRA_CA_CERTS`, in all connections of the
 * process that have no list of their own.
 */
export function trustAuthorities({ certificates }: Authorities): void {
  builtIn ??= tls.getCACertificates('default');
  tls.setDefaultCACertificates([...builtIn, ...certificates]);
}

/** The certificates of a PEM file; empty if one of them cannot be read. */
export function certificatesOf(file: string): string[] {
  try {
    const found = readFileSync(file, 'utf8').match(CERTIFICATE) ?? [];
    return found.map((pem) => `${new X509Certificate(pem).toString().trim()}\n`);
  } catch {
    return [];
  }
}
