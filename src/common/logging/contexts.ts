/** Logger context of the host's lines about apps; commands print them in another format. */
export const EX_APPS_LOG = 'ExApps';
