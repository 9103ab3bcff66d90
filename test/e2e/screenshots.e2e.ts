// CI only: opens every screen that a page of the documentation shows
import { expect } from 'chai';
import { fingerprint, play, readFingerprints, scenes } from '../helpers/scenes.js';
import { useDriver } from './widget.js';

describe('the pictures of the documentation', () => {
  const driver = useDriver();
  const known = readFingerprints();

  for (const scene of scenes.filter(({ unused }) => !unused))
    it(`show in ${scene.name} what the screen shows today`, () =>
      play(driver, scene, async () => {
        expect(await fingerprint(driver), `npm run screenshots -- ${scene.name}`).to.equal(known[scene.name]);
      }));
});
