export type Environment = Readonly<Record<string, string | undefined>>;

/** The maintainer of a package that is not a release. */
const LOCAL_MAINTAINER = 'local build of plantgate <plantgate@localhost.invalid>';

const NAME = /^[^\s<>][^\n<>]*$/;
const EMAIL = /^[^\s<>@]+@[^\s<>@]+\.[^\s<>@]+$/;

/** The maintainer of a package, from the variables of Debian's own tools. Throws if they do not give one. */
export function maintainer({ DEBFULLNAME: name = '', DEBEMAIL: email = '' }: Environment): string {
  if (!NAME.test(name)) throw new Error(`DEBFULLNAME must be the name of the package's maintainer, found "${name}"`);
  if (!EMAIL.test(email)) throw new Error(`DEBEMAIL must be the mail address of that maintainer, found "${email}"`);
  return `${name.trim()} <${email}>`;
}

/** The maintainer, or a name that shows a local build if neither variable is set. */
export function maintainerOrLocal(environment: Environment): string {
  const { DEBFULLNAME = '', DEBEMAIL = '' } = environment;
  return DEBFULLNAME === '' && DEBEMAIL === '' ? LOCAL_MAINTAINER : maintainer(environment);
}
