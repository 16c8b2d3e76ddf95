import path from 'node:path';

/** The services of a computer: its gateway, and the central server of the package `plantgate-central` (D-110). */
const SERVICES = ['plantgate', 'plantgate-central'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** The command that does at a terminal what a service does. */
export const COMMANDS: Readonly<Record<ServiceName, string>> = {
  plantgate: 'plantgate run',
  'plantgate-central': 'plantgate-central central',
};

/** The places of an installation below `root`: `/`, or the directory of an image or a test. */
export interface Installation {
  readonly root: string;
  /** Its user has this name, too. */
  readonly service: ServiceName;
  readonly binary: string;
  readonly unit: string;
  /** The places for unit files of packages: a file there belongs to the package manager. */
  readonly packagedUnits: readonly string[];
  readonly configDir: string;
  readonly config: string;
  readonly dataDir: string;
  readonly cacheDir: string;
}

export const SERVICE_USER = 'plantgate';

export function installationIn(root: string, service: ServiceName = SERVICE_USER): Installation {
  const at = (place: string) => path.join(root, place);
  return {
    root,
    service,
    binary: at(service === 'plantgate' ? 'usr/bin/plantgate' : `usr/lib/${service}/plantgate`),
    unit: at(`etc/systemd/system/${service}.service`),
    packagedUnits: [at(`usr/lib/systemd/system/${service}.service`), at(`lib/systemd/system/${service}.service`)],
    configDir: at(`etc/${service}`),
    config: at(`etc/${service}/plantgate.yaml`),
    dataDir: at(`var/lib/${service}`),
    cacheDir: at(`var/cache/${service}`),
  };
}

/** The installation of this computer to which a file or a directory belongs; any other place is the gateway's. */
export function installationOf(place: string | null): Installation {
  const installations = SERVICES.map((service) => installationIn('/', service));
  const isIn = (directory: string) => place === directory || place?.startsWith(`${directory}/`) === true;
  const found = installations.find(({ configDir, dataDir }) => isIn(configDir) || isIn(dataDir));
  return found ?? installationIn('/');
}

/** Whether it is the installation of this computer, not of an image. */
export function isLive({ root }: Installation): boolean {
  return root === '/';
}
