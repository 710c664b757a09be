import { Injectable } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import type { FileNode } from '../../common/ports/file-nodes.js';
import type { Account } from '../../common/ports/user-directory.js';
import {
  ExAppDisabled,
  ExAppNotFound,
  ExAppUnreachable,
  FileActionFailed,
  FileActionNotOffered,
} from '../app-api.errors.js';
import type { ExAppAnswer } from '../apps/client/ex-app-answer.js';
import { ExAppClient } from '../apps/client/ex-app-client.service.js';
import { type ExApp, ExAppsRepository } from '../apps/ex-apps.repository.js';
import { ExAppLog } from '../apps/log/ex-app-log.service.js';
import { RegistrationsRepository } from '../capabilities/registrations.repository.js';
import { toNodeJson } from '../node-json.js';
import { FILE_ACTION, type FileActionFields } from './file-action.js';

/** An entry of the context menu of files. */
export interface FileAction {
  readonly appId: string;
  readonly name: string;
  readonly displayName: string;
  /** Relative to the app's root; empty for none. */
  readonly icon: string;
  /** Whether a click on a file runs it: the first such action of a list. */
  readonly isDefault?: true;
}

interface FileActionOutcome {
  /** Path of a page of the app to be opened; absent if there is none. */
  readonly redirect?: string;
}

/** Matches files of all MIME types. */
const ANY_FILE = 'file';

const PERMISSION_CREATE = 4;

/** The user waits for the response. */
const ANSWER_SECONDS = 60;

/**
 * Lists and invokes the file actions of apps.
 *
 * @see docs/app-api-reference.md "File actions"
 */
@Injectable()
export class FileActionsService {
  constructor(
    private readonly apps: ExAppsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly client: ExAppClient,
    private readonly log: ExAppLog,
    private readonly config: Config,
  ) {}

  /**
   * Actions of enabled apps that fit all nodes, by their order.
   *
   * @param _account unused: actions require only the rights on the nodes
   */
  async actionsFor(_account: Account, nodes: readonly FileNode[]): Promise<FileAction[]> {
    const registered = await this.registrations.ofEnabledApps(FILE_ACTION);
    return registered
      .filter(({ fields }) => fits(fields, nodes))
      .sort((a, b) => a.fields.order - b.fields.order || a.id - b.id)
      .map(({ appId, fields: { name, displayName, icon, defaultAction } }) => ({
        appId,
        name,
        displayName,
        icon,
        ...(defaultAction && { isDefault: true as const }),
      }));
  }

  /**
   * Sends the nodes to the action's handler as the user.
   *
   * @throws ExAppNotFound
   * @throws ExAppDisabled
   * @throws FileActionNotOffered if there is no such action for these nodes
   * @throws FileActionFailed with the errors of all nodes
   */
  async invoke(
    account: Account,
    appId: string,
    name: string,
    nodes: readonly FileNode[],
  ): Promise<FileActionOutcome> {
    const app = ExAppNotFound.unless(await this.apps.find(appId), appId);
    ExAppDisabled.unless(app.enabled, app.name);
    const action = await this.registrations.find(appId, FILE_ACTION, name);
    if (action === null || !fits(action.fields, nodes)) {
      throw new FileActionNotOffered(app.name, action?.fields.displayName ?? name);
    }
    return action.fields.version === '1.0'
      ? this.#postEach(app, account, action.fields, nodes)
      : this.#postTogether(app, account, action.fields, nodes);
  }

  async #postEach(
    app: ExApp,
    account: Account,
    action: FileActionFields,
    nodes: readonly FileNode[],
  ): Promise<FileActionOutcome> {
    const faults: string[] = [];
    for (const node of nodes) {
      const answer = await this.#post(app, account, action, toNodeJson(node));
      if (typeof answer === 'string') {
        faults.push(`${node.name}: ${answer}`);
      }
    }
    if (faults.length > 0) {
      throw new FileActionFailed(app.name, action.displayName, faults);
    }
    return {};
  }

  async #postTogether(
    app: ExApp,
    account: Account,
    action: FileActionFields,
    nodes: readonly FileNode[],
  ): Promise<FileActionOutcome> {
    const answer = await this.#post(app, account, action, { files: nodes.map(toNodeJson) });
    if (typeof answer === 'string') {
      throw new FileActionFailed(app.name, action.displayName, [answer]);
    }
    const handler = redirectHandlerOf(answer);
    const redirect = handler && embeddedPageAddress(this.config, app.appId, handler);
    if (!redirect) {
      return {};
    }
    const fileIds = nodes.map(({ fileId }) => fileId).join(',');
    return { redirect: `${redirect}${redirect.includes('?') ? '&' : '?'}fileIds=${fileIds}` };
  }

  /** @returns the response, or an error message for the user; the app's log has the details */
  async #post(
    app: ExApp,
    account: Account,
    { name, actionHandler }: FileActionFields,
    json: unknown,
  ): Promise<ExAppAnswer | string> {
    try {
      const answer = await this.client.send(app, {
        method: 'POST',
        route: actionHandler,
        userId: account.userId,
        json,
        timeoutSeconds: ANSWER_SECONDS,
      });
      if (answer.status >= 200 && answer.status < 300) {
        return answer;
      }
      this.log.warn(app.appId, `file action "${name}" was answered with status ${answer.status}`);
      return `The app answered with status ${answer.status}.`;
    } catch (error) {
      if (error instanceof ExAppUnreachable) {
        this.log.warn(app.appId, `file action "${name}": ${error.message}`);
        return error.told;
      }
      throw error;
    }
  }
}

function fits({ mime, permissions }: FileActionFields, nodes: readonly FileNode[]): boolean {
  const mimes = mime
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter(Boolean);
  return (
    nodes.length > 0 &&
    nodes.every(
      (node) => isOneOf(node, mimes) && (permissionsOf(node) & permissions) === permissions,
    )
  );
}

function isOneOf({ mime, fileType }: FileNode, mimes: readonly string[]): boolean {
  return mimes.some(
    (part) => (part === ANY_FILE && fileType === 'file') || mime.toLowerCase().includes(part),
  );
}

/** The permission to create does not apply to files, so it is never missing. */
function permissionsOf({ fileType, permissions }: FileNode): number {
  return fileType === 'file' ? permissions | PERMISSION_CREATE : permissions;
}

function redirectHandlerOf({ body }: ExAppAnswer): string | undefined {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'));
    const handler: unknown =
      typeof answer === 'object' && answer !== null
        ? Reflect.get(answer, 'redirect_handler')
        : undefined;
    return typeof handler === 'string' && handler !== '' ? handler : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Path of the page of a top menu entry.
 *
 * @param page name of the entry, optionally with a path, query or fragment
 * @returns null if the path would leave the app's pages
 */
function embeddedPageAddress(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  appId: string,
  page: string,
): string | null {
  const prefix = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  const root = `${prefix}/index.php/apps/app_api/embedded/${encodeURIComponent(appId)}/`;
  const { pathname, search, hash } = new URL(`http://host${root}${page.replace(/^\/+/, '')}`);
  return pathname.startsWith(root) ? `${pathname}${search}${hash}` : null;
}
