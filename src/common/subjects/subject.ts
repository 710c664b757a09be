import type { EntitySchema } from '@mikro-orm/core';
import {
  applyDecorators,
  Module,
  SetMetadata,
  type ModuleMetadata,
  type Provider,
  type Type,
} from '@nestjs/common';
import type { RegisterCommands } from '../command-line/with-app.js';
import { CommonModule } from '../common.module.js';
import type { EdgeRule } from '../config/edge-rules.js';
import type { Offer } from '../ports/offer.js';

const DECLARED = 'gatefold:subject';

interface Declared {
  readonly entities?: readonly { readonly schema: EntitySchema }[];
  readonly commands?: readonly RegisterCommands[];
  readonly edgeRules?: readonly EdgeRule[];
}

/**
 * A Nest module with the other declarations of a subject: tables, commands, and rules of the HTTP edge. It
 * may use `CommonModule`.
 */
export function Subject({
  entities,
  commands,
  edgeRules,
  imports = [],
  ...module
}: ModuleMetadata & Declared): ClassDecorator {
  return applyDecorators(
    SetMetadata(DECLARED, { entities, commands, edgeRules }),
    Module({ ...module, imports: [CommonModule, ...imports] }),
  );
}

/** Offers a service of this subject to lower ones. */
export function offered<Service>(
  offer: abstract new () => Offer<Service>,
  service: abstract new (...args: never[]) => Service,
): Provider {
  return {
    provide: Symbol(offer.name),
    inject: [offer, service],
    useFactory: (place: Offer<Service>, filling: Service) => place.fill(filling),
  };
}

/** These modules and all that they import. */
export function modulesIn(modules: readonly Type[]): object[] {
  const all = new Set<object>();
  const visit = (module: object) => {
    if (!all.has(module)) {
      all.add(module);
      ((Reflect.getMetadata('imports', module) ?? []) as object[]).forEach(visit);
    }
  };
  modules.forEach(visit);
  return [...all];
}

/** Declarations of the modules and all their imports. */
export function declaredBy(modules: readonly Type[]): Required<Declared> {
  const declared = modulesIn(modules).map(
    (module) => (Reflect.getMetadata(DECLARED, module) ?? {}) as Declared,
  );
  return {
    entities: declared.flatMap(({ entities = [] }) => entities),
    commands: declared.flatMap(({ commands = [] }) => commands),
    edgeRules: declared.flatMap(({ edgeRules = [] }) => edgeRules),
  };
}
