import { readFile } from 'node:fs/promises';
import { CommandRefused } from '../../../common/command-line/command-refused.js';
import type { Get } from '../../../common/command-line/with-app.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { readExAppManifest, type ExAppManifest } from './ex-app-manifest.js';

/** The options for the manifest of an app. */
export interface InfoOptions {
  readonly infoXml?: string;
  readonly jsonInfo?: string;
  readonly routes?: string;
  readonly secretFile?: string;
}

export const INFO_XML = [
  '--info-xml <place>',
  'path or address of an info.xml about the app',
] as const;
export const JSON_INFO = [
  '--json-info <json>',
  'manifest of the app; overrides --info-xml',
] as const;
export const ROUTES = [
  '--routes <json>',
  'paths that browsers may reach: [{"url", "verb", "access_level"}]; overrides those of the manifest',
] as const;

export const SECRET_FILE = [
  '--secret-file <path>',
  'file with the secret of the app, or with a line APP_SECRET=…, as app_api:app:manifest writes it',
] as const;

export async function readInfo(
  get: Get,
  appId: string | undefined,
  daemonName: string | undefined,
  { infoXml, jsonInfo, routes, secretFile }: InfoOptions,
): Promise<ExAppManifest> {
  return readExAppManifest({
    secret: secretFile === undefined ? undefined : await readSecret(secretFile),
    appId,
    daemonName,
    json: jsonInfo,
    routes,
    infoXml: infoXml === undefined ? undefined : await readXml(get, infoXml),
  });
}

/** Reads an environment file, a Kubernetes Secret, or a file with only the secret. */
async function readSecret(place: string): Promise<string> {
  const text = await readFile(place, 'utf8');
  const [, single, double, plain] =
    /^\s*APP_SECRET\s*[=:]\s*(?:'([^'\n]*)'|("(?:[^"\\\n]|\\.)*")|([^\n]*))/m.exec(text) ?? [];
  const secret = single ?? (double === undefined ? plain : String(JSON.parse(double)));
  const found = secret ?? text.trim();
  if (found === '' || found.includes('\n')) {
    throw new CommandRefused(`${place} contains no secret.`);
  }
  return found;
}

export async function readXml(get: Get, place: string): Promise<string> {
  if (!/^https?:\/\//i.test(place)) {
    return readFile(place, 'utf8');
  }
  const answer = await get(OutgoingHttp).request({
    url: place,
    addressPolicy: 'operator-configured',
  });
  if (answer.status !== 200) {
    throw new CommandRefused(`${place} cannot be read: the server answered ${answer.status}.`);
  }
  return Buffer.from(answer.body).toString('utf8');
}
