/**
 * Imports a package that may be missing. Bundlers have to leave it alone, and read a name wherever they can: a literal, and a constant that
 * their first pass has replaced. Some bundle their own output again, without our comments. So the name is a parameter here.
 */
export const importOptional = async <Package>(name: string): Promise<Package> =>
  (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as Package;
