import path from 'node:path';

/** The places of an installation below `root`: `/`, or the directory of an image or a test. */
export interface Installation {
  readonly root: string;
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

export function installationIn(root: string): Installation {
  const at = (place: string) => path.join(root, place);
  return {
    root,
    binary: at('usr/bin/plantgate'),
    unit: at('etc/systemd/system/plantgate.service'),
    packagedUnits: [at('usr/lib/systemd/system/plantgate.service'), at('lib/systemd/system/plantgate.service')],
    configDir: at('etc/plantgate'),
    config: at('etc/plantgate/plantgate.yaml'),
    dataDir: at('var/lib/plantgate'),
    cacheDir: at('var/cache/plantgate'),
  };
}

/** Whether it is the installation of this computer, not of an image. */
export function isLive({ root }: Installation): boolean {
  return root === '/';
}
