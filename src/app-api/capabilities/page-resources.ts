import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { appPath, flag, handler, name, text } from '../field-schemas.js';
import { byName, type Capability, identityOf } from './capability.js';

/** There is no other type of page; others are stored without effect. */
const PAGE_TYPE = 'top_menu';

/** The page that an initial state, a script or a style belongs to. */
const pageFields = {
  type: name(16),
  /** Name of the menu entry, which may be registered later. */
  name: name(32),
};

/** A script or style, without the extension of its file. */
const pageFileFields = { ...pageFields, path: handler(410) };

const pageFile = z.object(pageFileFields);

const pageFileKey = pageFile.transform(keyOfPageFile);

/** @param extension is added to the path */
const filesEndingIn = (extension: string) => ({
  keyInput: pageFileKey,
  keyOf: keyOfPageFile,
  warningsOf: ({ path, type }: z.output<typeof pageFile>) => [
    ...warningsOfPage({ type }),
    ...(path.endsWith(extension)
      ? [`"${extension}" is added to the path, so browsers ask for "${path}${extension}".`]
      : []),
  ],
});

const style = z.object(pageFileFields);
const script = z.object({ ...pageFileFields, afterAppId: orElse(text(32), '') });

/** A style sheet of a page. */
export const STYLE: Capability<z.output<typeof style>> = {
  ...filesEndingIn('.css'),
  kind: 'style',
  routes: ['v1/ui/style'],
  input: style,
  toJson: ({ fields, ...entry }) => ({ ...identityOf(entry), ...fields }),
  missing: 'No such Style',
};

/** A script of a page; scripts load in the order of their registration. */
export const SCRIPT: Capability<z.output<typeof script>> = {
  ...filesEndingIn('.js'),
  kind: 'script',
  routes: ['v1/ui/script'],
  input: script,
  toJson: ({ fields: { afterAppId, ...fields }, ...entry }) => ({
    ...identityOf(entry),
    ...fields,
    after_app_id: afterAppId,
  }),
  missing: 'No such Script',
};

const keyFields = { ...pageFields, key: name(64) };

const initialState = z.object({
  ...keyFields,
  // Stored as sent: scripts of the app can tell `[]` from `{}`.
  value: z.unknown().refine((value) => typeof value === 'object' && value !== null, {
    error: 'must be a list or an object',
  }),
});

type InitialStateFields = z.output<typeof initialState>;

/** A value for the scripts of a page, delivered with the page. */
export const INITIAL_STATE: Capability<InitialStateFields> = {
  kind: 'initial_state',
  routes: ['v1/ui/initial-state'],
  largeBodies: true,
  input: initialState,
  keyInput: z.object(keyFields).transform(keyOfState),
  keyOf: keyOfState,
  warningsOf: warningsOfPage,
  toJson: ({ fields, ...entry }) => ({
    ...identityOf(entry),
    type: fields.type,
    name: fields.name,
    key: fields.key,
    value: fields.value,
  }),
  missing: 'No such InitialState',
};

const topMenu = z.object({
  name: name(32),
  displayName: text(32),
  /** Empty for the host's default icon. */
  icon: orElse(appPath(410), ''),
  adminRequired: orElse(flag, false),
});

export type TopMenuFields = z.output<typeof topMenu>;

/** An entry of the top menu; deleted with the initial states, scripts and styles of its page. */
export const TOP_MENU: Capability<TopMenuFields> = {
  kind: 'top_menu',
  routes: ['v1/ui/top-menu'],
  input: topMenu,
  keyInput: byName(32),
  keyOf: (fields) => fields.name,
  pageKeyPrefix,
  toJson: ({ fields, ...entry }) => ({
    ...identityOf(entry),
    name: fields.name,
    display_name: fields.displayName,
    icon: fields.icon,
    admin_required: Number(fields.adminRequired),
  }),
  missing: 'No such Top Menu entry',
};

function warningsOfPage({ type }: { readonly type: string }): string[] {
  return type === PAGE_TYPE ? [] : [`There is no type of page "${type}", only ${PAGE_TYPE}.`];
}

function keyOfPageFile({ type, name, path }: z.output<typeof pageFile>): string {
  return compoundKey(type, name, path);
}

/** A lookup key made of several fields. */
function compoundKey(...parts: readonly string[]): string {
  return parts.join('\u0001');
}

/** Prefix of the keys of resources on a menu entry's page. */
export function pageKeyPrefix(menuEntry: string): string {
  return compoundKey(PAGE_TYPE, menuEntry, '');
}

function keyOfState({ type, name, key }: Omit<InitialStateFields, 'value'>): string {
  return compoundKey(type, name, key);
}
