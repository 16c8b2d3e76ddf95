import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { completionScript } from '../src/cli/commands/completion/completion-script.ts';
import { manPage } from '../src/cli/commands/completion/help-files.ts';
import type { ServiceName } from '../src/cli/commands/service/installation.ts';
import { allCommands } from './all-commands.ts';
import type { Architecture } from './architectures.ts';
import { builtBinary } from './built-binary.ts';
import { debianChangelog } from './debian-changelog.ts';

export interface PackagedFile {
  readonly content: string | Buffer;
  /** 0644 unless it says otherwise. */
  readonly mode?: number;
}
type Files = Readonly<Record<string, PackagedFile>>;

/** A Debian package with the program, as one service of a computer. */
export interface DebianPackage {
  /** Its service, its user and its directories have this name too. */
  readonly name: ServiceName;
  readonly title: string;
  readonly description: readonly string[];
  readonly binary: string;
  readonly scripts: readonly string[];
  readonly files: () => Files;
}

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file));
const packed = (content: string | Buffer) => gzipSync(content, { level: 9 });

export const DEBIAN_PACKAGES: readonly DebianPackage[] = [
  {
    name: 'plantgate',
    title: 'edge gateway for roll-forming machines',
    description: [
      'plantgate stands beside roll-forming machines. Their controllers report status',
      'over MQTT or HTTP and learn within milliseconds whether they may run. Decisions',
      'are local; production is recorded and forwarded to a central server.',
    ],
    binary: 'usr/bin/plantgate',
    scripts: ['preinst', 'postinst', 'prerm', 'postrm'],
    files: () => {
      const tree = allCommands();
      return {
        'usr/share/man/man1/plantgate.1.gz': { content: packed(manPage(tree)) },
        'usr/share/bash-completion/completions/plantgate': { content: `${completionScript('bash', tree)}\n` },
        'usr/share/zsh/vendor-completions/_plantgate': { content: `${completionScript('zsh', tree)}\n` },
        'usr/share/fish/vendor_completions.d/plantgate.fish': { content: `${completionScript('fish', tree)}\n` },
      };
    },
  },
  {
    name: 'plantgate-central',
    title: 'central server of plantgate gateways',
    description: [
      'plantgate central takes what plantgate gateways of one or several plants send,',
      'shows and reports it, and gives them plans and updates. It keeps everything in',
      'its directory, or in PostgreSQL, which several computers may share. It has its',
      'own user, configuration and data, and may stand beside a gateway.',
    ],
    binary: 'usr/lib/plantgate-central/plantgate',
    scripts: ['postinst', 'prerm', 'postrm'],
    files: () => ({
      'usr/bin/plantgate-central': { content: read('packaging/debian/plantgate-central'), mode: 0o755 },
      'usr/share/man/man1/plantgate-central.1.gz': { content: packed(read('packaging/debian/plantgate-central.1')) },
    }),
  },
];

/** The installed files of a package and their places. */
export function filesOf(deb: DebianPackage, arch: Architecture, maintainer: string): Files {
  const { name, binary } = deb;
  const doc = `usr/share/doc/${name}`;
  return {
    [binary]: { content: readFileSync(builtBinary(arch)), mode: 0o755 },
    [`usr/lib/systemd/system/${name}.service`]: { content: read(`systemd/${name}.service`) },
    [`usr/lib/sysusers.d/${name}.conf`]: { content: debianFile('sysusers.conf', deb) },
    [`usr/lib/tmpfiles.d/${name}.conf`]: { content: debianFile('tmpfiles.conf', deb) },
    // postinst puts it into /etc, unless a configuration is there: dpkg would delete one of its own at a purge, also if it
    // is in use by an installation without the package.
    [`usr/share/${name}/plantgate.yaml`]: { content: read(`systemd/${name}.yaml`) },
    ...deb.files(),
    [`usr/share/lintian/overrides/${name}`]: { content: debianFile('lintian-overrides', deb) },
    [`${doc}/copyright`]: { content: debianFile('copyright', deb) },
    [`${doc}/changelog.gz`]: { content: packed(debianChangelog(read('CHANGELOG.md').toString(), maintainer, name)) },
    [`${doc}/README.md`]: { content: read('README.md') },
    [`${doc}/SECURITY.md`]: { content: read('SECURITY.md') },
    ...documents(doc),
    [`${doc}/THIRD-PARTY-LICENSES.gz`]: { content: packed(read('dist/THIRD-PARTY-LICENSES')) },
    [`${doc}/sbom.cdx.json.gz`]: { content: packed(read(`dist/sbom-linux-${arch}.cdx.json`)) },
  };
}

/** A file of `packaging/debian`, which both packages have, with the names of one. */
export function debianFile(file: string, { name, title, binary }: DebianPackage): string {
  const text = read(`packaging/debian/${file}`).toString();
  return text.replaceAll('@NAME@', name).replaceAll('@TITLE@', title).replaceAll('@BINARY@', binary);
}

/** Everything that the README leads to, unpacked, so that its links work. */
function documents(doc: string): Files {
  const names = readdirSync(path.join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
  return Object.fromEntries(names.map((name) => [`${doc}/${name}`, { content: read(name) }]));
}
