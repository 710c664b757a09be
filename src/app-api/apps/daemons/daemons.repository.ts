import { Injectable } from '@nestjs/common';
import { Database } from '../../../database/database.js';

/** Where apps of an operator run; the words are those of the `app_api:daemon:*` commands. */
export interface Daemon {
  readonly name: string;
  readonly displayName: string;
  /** `manual-install`: somebody else runs the processes. */
  readonly acceptsDeployId: string;
  readonly protocol: string;
  /** A host name or address; the port is each app's own. */
  readonly host: string;
  readonly deployConfig: Readonly<Record<string, unknown>>;
  readonly isDefault: boolean;
}

const COLUMNS = `
  select name, display_name as "displayName", accepts_deploy_id as "acceptsDeployId", protocol, host,
         deploy_config as "deployConfig", is_default as "isDefault"
    from app_daemon`;

@Injectable()
export class DaemonsRepository {
  constructor(private readonly database: Database) {}

  async list(): Promise<Daemon[]> {
    return this.database.query<Daemon>(`${COLUMNS} order by name`);
  }

  async find(name: string): Promise<Daemon | null> {
    const [daemon] = await this.database.query<Daemon>(`${COLUMNS} where name = $1`, [name]);
    return daemon ?? null;
  }

  /** The one marked so, or the only one there is. */
  async findDefault(): Promise<Daemon | null> {
    const daemons = await this.list();
    const only = daemons.length === 1 ? daemons[0] : undefined;
    return daemons.find(({ isDefault }) => isDefault) ?? only ?? null;
  }

  /** @returns false when the name is taken */
  async create(daemon: Daemon): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const rows = await tx.query(
        `insert into app_daemon (name, display_name, accepts_deploy_id, protocol, host, deploy_config)
         values ($1, $2, $3, $4, $5, $6) on conflict (name) do nothing returning 1`,
        [
          daemon.name,
          daemon.displayName,
          daemon.acceptsDeployId,
          daemon.protocol,
          daemon.host,
          JSON.stringify(daemon.deployConfig),
        ],
      );
      if (rows.length > 0 && daemon.isDefault) {
        await tx.query('update app_daemon set is_default = (name = $1)', [daemon.name]);
      }
      return rows.length > 0;
    });
  }

  /** @returns false when there is no such daemon */
  async change(daemon: Daemon): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const rows = await tx.query(
        `update app_daemon
            set display_name = $2, accepts_deploy_id = $3, protocol = $4, host = $5,
                deploy_config = $6, is_default = $7
          where name = $1 returning 1`,
        [
          daemon.name,
          daemon.displayName,
          daemon.acceptsDeployId,
          daemon.protocol,
          daemon.host,
          JSON.stringify(daemon.deployConfig),
          daemon.isDefault,
        ],
      );
      if (rows.length > 0 && daemon.isDefault) {
        await tx.query('update app_daemon set is_default = (name = $1)', [daemon.name]);
      }
      return rows.length > 0;
    });
  }

  /** @returns false when there is no such daemon */
  async remove(name: string): Promise<boolean> {
    const rows = await this.database.query('delete from app_daemon where name = $1 returning 1', [
      name,
    ]);
    return rows.length > 0;
  }
}
