/**
 * A service of a subject above the one that uses it, or of a part that may be off. Each port has a class
 * of it, `class TranslationOffer extends Offer<Translation> {}`, provided by the user of the port or by
 * `PortsModule`; the service above fills it in its constructor.
 */
export abstract class Offer<Service> {
  #service: Service | undefined;

  fill(service: Service): void {
    this.#service = service;
  }

  /** undefined if its part is off */
  get service(): Service | undefined {
    return this.#service;
  }

  /** The service, for users whose part includes the one that offers it. */
  get required(): Service {
    if (this.#service === undefined) {
      throw new Error(`Nothing has filled ${this.constructor.name}.`);
    }
    return this.#service;
  }
}
