import { z } from 'zod';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { ApiPost, Get } from '../../common/contracts/routes.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import { type In, Input } from '../../common/http/input.decorator.js';
import { wholeNumberThat } from '../../common/http/loose-inputs.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import { type FileNode, FileNodesOffer } from '../../common/ports/file-nodes.js';
import type { Account } from '../../common/ports/user-directory.js';
import { FileActionsService } from './file-actions.service.js';

const OfferedActionsAnswer = z.array(
  z.object({
    appId: z.string(),
    name: z.string(),
    displayName: z.string(),
    icon: z.string(),
    isDefault: z.literal(true).optional().describe('Whether a click on a file runs it.'),
  }),
);

const InvokedActionAnswer = z.object({ redirect: z.string().optional() });

/** A list, or `1,2` in a query. */
const fileIds = z.preprocess(
  (value) => (typeof value === 'string' ? value.split(',') : value),
  z
    .array(wholeNumberThat((int) => int.positive('must be ids')))
    .min(1, 'must name at least one file')
    .max(10_000, 'must name 10000 files at most'),
);

const selection = z.object({ fileIds });
const invocation = z.object({ appId: z.string(), name: z.string(), fileIds });

/** File actions of apps, for users. */
@OcsController('apps/app_api/api/v1/files-actions', { bare: true, guards: [BasicAuthGuard] })
export class FileActionsController {
  constructor(
    private readonly fileActions: FileActionsService,
    private readonly files: FileNodesOffer,
  ) {}

  /** `GET …/files-actions?fileIds=1,2`: the actions for a selection. */
  @InTurn()
  @Get('', 'Lists the actions of apps for these files.', OfferedActionsAnswer)
  async offered(@CurrentUser() account: Account, @Input(selection) input: In<typeof selection>) {
    return this.fileActions.actionsFor(account, await this.#find(account, input.fileIds));
  }

  @ApiPost(':appId/:name', 'Runs an action of an app on files.', InvokedActionAnswer)
  async invoke(
    @CurrentUser() account: Account,
    @Input(invocation) { appId, name, fileIds }: In<typeof invocation>,
  ) {
    return this.fileActions.invoke(account, appId, name, await this.#find(account, fileIds));
  }

  async #find(account: Account, ids: readonly number[]): Promise<FileNode[]> {
    const wanted = [...new Set(ids)];
    const nodes = (await this.files.service?.find(account.userId, wanted)) ?? [];
    if (nodes.length < wanted.length) {
      throw new OcsFailure(404, 'One of the files does not exist.');
    }
    return nodes;
  }
}
