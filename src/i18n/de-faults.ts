/** What German says of an error's details, as `fault-texts.ts` has it in English. */
import type { FaultTexts } from './fault-texts.js';

export const faultsDe: FaultTexts = {
  code: 'Code',
  status: 'HTTP-Status',
  errorType: 'Art',
  said: 'Meldung des Servers',
  check: 'Einrichtung prüfen',
  checking: 'Wird geprüft …',
  asked: 'Adresse:',
  feedback: 'Problem melden',
  findings: {
    ok: () => [
      'Der Endpunkt antwortet und nimmt Anfragen dieser Seite an.',
      'Der Fehler war vorübergehend oder tritt nur mit einer ganzen Nachricht auf: Versuchen Sie es noch einmal.',
    ],
    'no-endpoint': () => ['Kein Endpunkt eingestellt.', 'Für die Betreiber der Seite: das Attribut „endpoint“ setzen.'],
    'bad-url': () => [
      'Die Adresse des Endpunkts ist ungültig.',
      'Sie muss mit https:// oder http:// beginnen oder ein Pfad dieser Seite sein.',
    ],
    'on-device': () => [
      'Die Antworten kommen vom Modell des Browsers, einen Endpunkt gibt es nicht.',
      'Aktualisieren Sie den Browser, oder sehen Sie nach, ob er sein Modell geladen hat.',
    ],
    'mixed-content': () => ['Diese Seite ist https, der Endpunkt http: Das lässt der Browser nicht zu.', 'Der Endpunkt braucht https.'],
    offline: () => ['Der Browser hat kein Netz.', 'Verbinden Sie sich mit einem Netz; was wartet, wird dann gesendet.'],
    'local-network': () => [
      'Der Endpunkt ist auf diesem Rechner oder in diesem Netz, und der Browser lässt diese Seite nicht dorthin.',
      'Erlauben Sie den Zugriff in den Einstellungen der Seite, starten Sie dort den Server, und lassen Sie diese Seite zu (OLLAMA_ORIGINS bei Ollama).',
    ],
    csp: () => [
      'Die Content-Security-Policy dieser Seite verbietet Anfragen an den Endpunkt.',
      'Nehmen Sie die Herkunft des Endpunkts in connect-src auf.',
    ],
    unreachable: () => [
      'Unter dieser Adresse antwortet nichts.',
      'Prüfen Sie, ob sie richtig geschrieben ist, der Server läuft, sein Name auflösbar und sein Zertifikat gültig ist.',
    ],
    timeout: () => [
      'Der Server hat die Anfrage, aber nicht rechtzeitig geantwortet.',
      'Vielleicht ist er überlastet, oder ein Proxy hält seine Antworten zurück.',
    ],
    cors: ({ origin = '' }) => [
      'Ein Server antwortet, lässt diese Seite seine Antworten aber nicht lesen (CORS).',
      `Er muss Access-Control-Allow-Origin: ${origin} senden (das Relay von tool-chat tut es für Ursprünge in ALLOWED_ORIGINS).`,
    ],
    'cors-headers': ({ origin = '' }) => [
      'Der Server lässt diese Seite lesen, aber nicht die Header einer Anfrage senden (CORS).',
      `Auf den Preflight von ${origin} muss er mit Access-Control-Allow-Headers: content-type und Ihren eigenen Headern antworten.`,
    ],
    auth: ({ status = 401 }) => [
      `Der Endpunkt will wissen, wer Sie sind (${status}).`,
      'Melden Sie sich an, oder setzen Sie einen gültigen Schlüssel in „headers“. Schlüssel gehören in ein Relay, nicht in eine Seite.',
    ],
    forbidden: ({ status = 403, origin = '' }) => [
      `Der Endpunkt hat diese Website oder diesen Benutzer abgelehnt (${status}).`,
      `Ist er das Relay von tool-chat, nehmen Sie ${origin} in seine erlaubten Ursprünge (ALLOWED_ORIGINS) auf, oder geben Sie ihn als PUBLIC_ORIGIN an. Sonst melden Sie sich mit einem berechtigten Konto an.`,
    ],
    'not-found': ({ status = 404 }) => [
      `Ein Server antwortet, aber nicht unter diesem Pfad (${status}).`,
      'Vergleichen Sie den Pfad mit der Dokumentation des Dienstes.',
    ],
    redirect: () => [
      'Der Server leitet auf eine andere Adresse um; dem wird nicht gefolgt, denn die Unterhaltung ginge dorthin.',
      'Setzen Sie die endgültige Adresse als „endpoint“.',
    ],
    'wrong-answer': () => [
      'Unter dieser Adresse ist eine Webseite, kein Endpunkt.',
      'Vergleichen Sie den Pfad mit der Dokumentation des Dienstes; vielleicht steht eine Anmeldung davor.',
    ],
    'rate-limit': () => ['Der Endpunkt antwortet, bekam aber zu viele Anfragen.', 'Versuchen Sie es später noch einmal.'],
    'too-long': ({ window }) => [
      `Der Endpunkt arbeitet, aber die letzte Anfrage war länger, als sein Modell auf einmal liest${window === undefined ? '' : ` (${String(window)} Token)`}.`,
      'Beginnen Sie eine neue Unterhaltung, melden Sie weniger Werkzeuge an, oder geben Sie dem Modell ein größeres Fenster (-c bei llama.cpp, num_ctx bei Ollama).',
    ],
    server: ({ status = 500 }) => [`Der Endpunkt ist da, hat aber einen Fehler (${status}).`, 'Warum, sagt das Protokoll des Servers.'],
    headers: () => [
      'Die Funktion „headers“ der Seite schlug fehl, deshalb wurde nichts gesendet.',
      'Warum, sagt die Konsole des Browsers.',
    ],
  },
};
