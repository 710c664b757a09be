import { describe, expect, it } from '@jest/globals';
import { DavClient } from '../../support/dav-client.js';
import { Random } from '../../support/histories/random.js';
import { histories } from '../../support/long.js';
import { sharedService } from '../../support/shared-service.js';
import { TrashClient } from '../../support/trash-client.js';
import { TreeModel, type ModelNode } from '../../support/tree-model.js';

const HISTORIES = histories(2, 12);
const ROUNDS = 8;
const STEPS_PER_ROUND = 5;

const NAMES = ['a', 'b', 'c.txt'];

const { app } = await sharedService();

/** A tree and its trash, in the model and in the service, changed alike. */
class World {
  readonly model = new TreeModel();
  readonly told: string[] = [];
  /** Ids in the service by node of the model. */
  readonly #ids = new Map<ModelNode, string>();

  constructor(
    readonly random: Random,
    readonly ada: DavClient,
    readonly trash: TrashClient,
  ) {}

  async step(): Promise<void> {
    const nodes = this.model.all();
    const folder = this.random.pick(nodes.filter(({ isFolder }) => isFolder)) ?? this.model.top;
    const name = this.random.pick(NAMES) ?? 'a';
    const node = this.random.pick(nodes.slice(1));
    const entry = this.random.pick(this.model.trash);
    const what = this.random.next();
    if (what < 0.25) {
      await this.#add(folder, name, true);
    } else if (what < 0.5) {
      await this.#add(folder, name, false);
    } else if (what < 0.6 && node !== undefined) {
      await this.#move(node, folder, name);
    } else if (what < 0.8 && node !== undefined) {
      this.told.push(`delete ${this.model.pathOf(node)}`);
      await this.ada.remove(this.model.pathOf(node));
      this.model.remove(node);
    } else if (what < 0.97 && entry !== undefined) {
      this.told.push(`restore ${entry.name}`);
      await this.trash.restore(this.#idOf(entry.node));
      this.model.restore(entry);
      await this.#learnIds();
    } else if (entry !== undefined) {
      this.told.push(`delete ${entry.name} for good`);
      await this.trash.remove(this.#idOf(entry.node));
      this.model.forget(entry);
    }
  }

  async #add(folder: ModelNode, name: string, isFolder: boolean): Promise<void> {
    if (folder.members.has(name)) {
      return;
    }
    const node = this.model.add(folder, name, isFolder ? null : 1 + this.random.below(9));
    const path = this.model.pathOf(node);
    this.told.push(`${isFolder ? 'folder' : 'file'} ${path}`);
    await (isFolder ? this.ada.folder(path) : this.ada.put(path, 'x'.repeat(node.sizeBytes)));
    await this.#learnIds();
  }

  /** Of nodes that are new in the model: created here, or folders that came back for what they held. */
  async #learnIds(): Promise<void> {
    for (const node of this.model.all().filter((one) => one.parent !== null)) {
      if (!this.#ids.has(node)) {
        const path = this.model.pathOf(node);
        this.#ids.set(node, String(await this.ada.property(path, 'oc:fileid')));
      }
    }
  }

  async #move(node: ModelNode, folder: ModelNode, name: string): Promise<void> {
    if (folder.members.has(name) || this.model.lineageOf(folder).includes(node)) {
      return;
    }
    const from = this.model.pathOf(node);
    this.model.move(node, folder, name);
    this.told.push(`move ${from} to ${this.model.pathOf(node)}`);
    await this.ada.move(from, this.model.pathOf(node));
  }

  #idOf(node: ModelNode): string {
    return this.#ids.get(node) ?? '';
  }

  /** Everything that clients see, in the service. */
  async shown() {
    const [top, ...nodes] = await this.ada.properties('/', ['oc:size'], 'infinity');
    const prefix = top?.href.length ?? 0;
    return {
      nodes: nodes
        .map(({ href, found }) => `/${decodeURIComponent(href.slice(prefix))} ${found['size']}`)
        .toSorted(),
      trash: (await this.trash.list())
        .map((entry) => `${entry['trashbin-filename']} ${entry['size']}`)
        .toSorted(),
      used: Number(await this.ada.property('/', 'd:quota-used-bytes')),
      counted: await this.#countedNodes(),
    };
  }

  async #countedNodes(): Promise<number> {
    const [row] = await app.database.query<{ nodes: number }>(
      'select node_count as nodes from file_node where user_id = $1 and parent_id is null',
      [this.ada.user.credentials.userId],
    );
    return row?.nodes ?? 0;
  }
}

describe('Any history of changes, deletions and restorations', () => {
  it.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
    'leaves the tree and the trash that the model says: history %i',
    async (seed) => {
      const user = await app.signIn();
      const world = new World(new Random(seed), new DavClient(user), new TrashClient(user));

      for (let round = 0; round < ROUNDS; round += 1) {
        for (let step = 0; step < STEPS_PER_ROUND; step += 1) {
          await world.step();
        }
        const { told } = world;
        expect({ told, ...(await world.shown()) }).toEqual({ told, ...world.model.shown() });
      }
    },
  );
});
