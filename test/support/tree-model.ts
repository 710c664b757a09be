/** A file or folder of the model. */
export interface ModelNode {
  name: string;
  /** Null for the top folder and for what is in the trash. */
  parent: ModelNode | null;
  readonly isFolder: boolean;
  /** Of a file; 0 for folders. */
  readonly sizeBytes: number;
  readonly members: Map<string, ModelNode>;
}

/** A deleted file or folder of the model. */
export interface ModelEntry {
  readonly node: ModelNode;
  readonly name: string;
  readonly folder: ModelNode;
  readonly folderNames: readonly string[];
}

/** A tree with a trash, as plain objects. */
export class TreeModel {
  readonly top = newNode('', null);
  trash: ModelEntry[] = [];

  /** The top folder first. */
  all(from: ModelNode = this.top): ModelNode[] {
    return [from, ...[...from.members.values()].flatMap((node) => this.all(node))];
  }

  /** The node and all folders above it. */
  lineageOf(node: ModelNode): ModelNode[] {
    return node.parent === null ? [node] : [node, ...this.lineageOf(node.parent)];
  }

  pathOf(node: ModelNode): string {
    return node.parent === null ? '' : `${this.pathOf(node.parent)}/${node.name}`;
  }

  /** @param sizeBytes null for a folder */
  add(folder: ModelNode, name: string, sizeBytes: number | null): ModelNode {
    const node = newNode(name, sizeBytes);
    attach(node, folder, name);
    return node;
  }

  move(node: ModelNode, folder: ModelNode, name: string): void {
    detach(node);
    attach(node, folder, name);
  }

  remove(node: ModelNode): void {
    const folder = node.parent ?? this.top;
    const folderNames = this.pathOf(folder).split('/').slice(1);
    this.trash.push({ node, name: node.name, folder, folderNames });
    detach(node);
  }

  restore(entry: ModelEntry): void {
    const { node, name, folder, folderNames } = entry;
    this.forget(entry);
    const isThere = this.lineageOf(folder).at(-1) === this.top;
    const place = isThere
      ? folder
      : folderNames.reduce((above, of) => this.#folderIn(above, of), this.top);
    attach(node, place, freeName(place, name));
  }

  forget(entry: ModelEntry): void {
    this.trash = this.trash.filter((other) => other !== entry);
  }

  shown() {
    const nodes = this.all().slice(1);
    return {
      nodes: nodes
        .map((node) => `${this.pathOf(node)}${node.isFolder ? '/' : ''} ${this.#bytesOf(node)}`)
        .toSorted(),
      trash: this.trash.map(({ node, name }) => `${name} ${this.#bytesOf(node)}`).toSorted(),
      used: this.#bytesOf(this.top),
      counted: nodes.length,
    };
  }

  #folderIn(folder: ModelNode, name: string): ModelNode {
    const found = folder.members.get(name);
    return found?.isFolder === true ? found : this.add(folder, freeName(folder, name), null);
  }

  #bytesOf(node: ModelNode): number {
    return this.all(node).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }
}

function newNode(name: string, sizeBytes: number | null): ModelNode {
  const isFolder = sizeBytes === null;
  return { name, parent: null, isFolder, sizeBytes: sizeBytes ?? 0, members: new Map() };
}

function attach(node: ModelNode, folder: ModelNode, name: string): void {
  node.name = name;
  node.parent = folder;
  folder.members.set(name, node);
}

function detach(node: ModelNode): void {
  node.parent?.members.delete(node.name);
  node.parent = null;
}

function freeName(folder: ModelNode, name: string): string {
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  let free = name;
  for (let number = 2; folder.members.has(free); number += 1) {
    free = `${stem} (${number})${extension}`;
  }
  return free;
}
