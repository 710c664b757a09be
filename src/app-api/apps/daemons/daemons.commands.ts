import type { Command } from 'commander';
import { CommandRefused } from '../../../common/command-line/command-refused.js';
import { AS_JSON, say, showList, type AsJson } from '../../../common/command-line/say.js';
import type { WithApp } from '../../../common/command-line/with-app.js';
import { DaemonsService } from './daemons.service.js';

/** Description of options for the container proxy. */
const CONTAINER_PROXY = 'accepted for scripts; has no effect, since Gatefold runs no containers';

interface RegisterOptions {
  readonly net?: string;
  readonly haproxy_password?: string;
  readonly compute_device?: string;
  readonly setDefault?: true;
}

/** Commands for daemons, compatible with the reference's commands. */
export function registerAppApiDaemonCommands(program: Command, withApp: WithApp): void {
  program
    .command('app_api:daemon:register')
    .usage('[options] <arguments>')
    .description('register a host that external apps run on')
    .argument('<name>', 'what --json-info calls "daemon_config_name"')
    .argument('<display-name>')
    .argument('<accepts-deploy-id>', 'manual-install: you run the processes')
    .argument('<protocol>', 'http or https')
    .argument('<host>', 'name or address without a port')
    .argument('[nextcloud_url]', 'where the apps of this daemon reach Gatefold')
    .option('--net <name>', 'stored, not used')
    .option('--haproxy_password <password>', 'not used')
    .option('--compute_device <device>', 'stored, not used')
    .option('--harp', CONTAINER_PROXY)
    .option('--harp_frp_address <address>', CONTAINER_PROXY)
    .option('--harp_shared_key <key>', CONTAINER_PROXY)
    .option('--harp_docker_socket_port <port>', CONTAINER_PROXY)
    .option('--harp_exapp_direct', CONTAINER_PROXY)
    .option('--set-default', 'make it the default daemon')
    .action(async (name, displayName, acceptsDeployId, protocol, host, url, options) => {
      const { net, compute_device, setDefault } = options as RegisterOptions;
      const deployConfig = {
        ...(url !== undefined && { nextcloud_url: url as string }),
        ...(net !== undefined && { net }),
        ...(compute_device !== undefined && { computeDevice: compute_device }),
      };
      const registered = await withApp((get) =>
        get(DaemonsService).register({
          name: name as string,
          displayName: displayName as string,
          acceptsDeployId: acceptsDeployId as string,
          protocol: protocol as string,
          host: host as string,
          deployConfig,
          isDefault: setDefault ?? false,
        }),
      );
      say(
        registered
          ? `Registered the daemon "${name}".`
          : `Skip registration, as the daemon "${name}" is already registered.`,
      );
    });

  program
    .command('app_api:daemon:unregister <name>')
    .description('remove a host that no app runs on')
    .action(async (name: string) => {
      await withApp((get) => get(DaemonsService).unregister(name));
      say(`Unregistered the daemon "${name}".`);
    });

  for (const what of ['add', 'remove', 'list']) {
    program
      .command(`app_api:daemon:registry:${what} [daemon] [words...]`, { hidden: true })
      .description('not supported: Gatefold runs no containers')
      .allowUnknownOption()
      .action(() => {
        throw new CommandRefused(
          'Registries of container images have no meaning here: Gatefold runs no containers. Start the processes of the apps yourself.',
        );
      });
  }

  program
    .command('app_api:daemon:list')
    .description('list the hosts that external apps run on')
    .option(...AS_JSON)
    .action(async (options: AsJson) => {
      const daemons = await withApp((get) => get(DaemonsService).list());
      await showList(
        daemons,
        options,
        {
          DEFAULT: ({ isDefault }) => (isDefault ? '*' : ''),
          NAME: ({ name }) => name,
          'DISPLAY NAME': ({ displayName }) => displayName,
          'DEPLOY ID': ({ acceptsDeployId }) => acceptsDeployId,
          PROTOCOL: ({ protocol }) => protocol,
          HOST: ({ host }) => host,
        },
        'No daemons are registered.',
      );
    });
}
