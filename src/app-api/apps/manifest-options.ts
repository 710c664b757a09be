import { readFile } from 'node:fs/promises';
import { readExAppManifest, type ExAppManifest } from './ex-app-manifest.js';
import { OutgoingHttp } from '../../common/http/outgoing-http.js';
import { CommandRefused } from '../../common/command-line/command-refused.js';
import type { Get } from '../../common/command-line/with-app.js';

/** The options for the manifest of an app. */
export interface InfoOptions {
  readonly infoXml?: string;
  readonly jsonInfo?: string;
  readonly routes?: string;
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

export async function readInfo(
  get: Get,
  appId: string,
  daemonName: string | undefined,
  { infoXml, jsonInfo, routes }: InfoOptions,
): Promise<ExAppManifest> {
  return readExAppManifest({
    appId,
    daemonName,
    json: jsonInfo,
    routes,
    infoXml: infoXml === undefined ? undefined : await readXml(get, infoXml),
  });
}

export async function readXml(get: Get, place: string): Promise<string> {
  if (!/^https?:\/\//i.test(place)) {
    return readFile(place, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new CommandRefused(`${place} cannot be read (${error.code}).`);
    });
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
