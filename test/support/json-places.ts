/** Members of a JSON object in the order in which they were sent, for parsers that read in order. */
export class Places {
  readonly #members: [string, unknown][];

  constructor(value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new Error(`Not an object: ${JSON.stringify(value)?.slice(0, 300)}`);
    }
    this.#members = Object.entries(value);
  }

  /** Takes the next member, no matter what its name is. */
  next(): unknown {
    const member = this.#members.shift();
    if (member === undefined) {
      throw new Error('The object has ended');
    }
    return member[1];
  }

  skip(count: number): this {
    for (let n = 0; n < count; n += 1) {
      this.next();
    }
    return this;
  }

  /** @throws Error if members are left */
  end(): void {
    if (this.#members.length > 0) {
      throw new Error(`Members are left: ${this.#members.map(([name]) => name).join(' ')}`);
    }
  }
}
