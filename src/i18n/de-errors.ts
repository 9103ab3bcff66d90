/** The German texts of error details; `error-texts.ts` has the English ones. */
import type { ErrorTexts } from './error-texts.js';

export const errorsDe: ErrorTexts = {
  code: 'Code',
  status: 'HTTP-Status',
  errorType: 'Fehlertyp',
  said: 'Meldung des Servers',
  check: 'Konfiguration prüfen',
  checking: 'Wird geprüft …',
  asked: 'Adresse:',
  feedback: 'Problem melden',
  findings: {
    ok: () => [
      'Der Endpunkt funktioniert und akzeptiert Anfragen dieser Seite.',
      'Der Fehler war vorübergehend oder tritt nur mit einer vollständigen Nachricht auf: Versuchen Sie es noch einmal.',
    ],
    'no-endpoint': () => ['Kein Endpunkt konfiguriert.', 'Für Betreiber der Website: Setzen Sie das Attribut „endpoint“.'],
    'bad-url': () => [
      'Die Adresse des Endpunkts ist ungültig.',
      'Sie muss mit https:// oder http:// beginnen oder ein Pfad dieser Seite sein.',
    ],
    'on-device': () => [
      'Die Antworten kommen vom Modell des Browsers. Es gibt keinen Endpunkt, der geprüft werden könnte.',
      'Aktualisieren Sie den Browser, oder prüfen Sie, ob er sein Modell heruntergeladen hat.',
    ],
    'mixed-content': () => [
      'Diese Seite verwendet https, der Endpunkt http: Das blockiert der Browser.',
      'Stellen Sie den Endpunkt über https bereit.',
    ],
    offline: () => ['Der Browser ist offline.', 'Verbinden Sie sich mit einem Netzwerk; wartende Nachrichten werden dann gesendet.'],
    'local-network': () => [
      'Der Endpunkt ist auf diesem Computer oder in diesem Netzwerk, und der Browser lässt diese Seite nicht darauf zugreifen.',
      'Erlauben Sie den Zugriff auf das lokale Netzwerk in den Website-Einstellungen, starten Sie den Server, und lassen Sie diese Website dort zu (OLLAMA_ORIGINS bei Ollama).',
    ],
    csp: () => [
      'Die Content-Security-Policy dieser Seite blockiert Anfragen an den Endpunkt.',
      'Nehmen Sie den Ursprung des Endpunkts in connect-src auf.',
    ],
    unreachable: () => [
      'Unter dieser Adresse antwortet kein Server.',
      'Prüfen Sie, ob sie richtig geschrieben ist, der Server läuft, sein Name auflösbar und sein Zertifikat gültig ist.',
    ],
    timeout: () => [
      'Der Server hat die Anfrage erhalten, aber nicht rechtzeitig geantwortet.',
      'Er ist möglicherweise überlastet, oder ein Proxy verzögert seine Antworten.',
    ],
    cors: ({ origin = '' }) => [
      'Ein Server antwortet, lässt diese Seite seine Antworten aber nicht lesen (CORS).',
      `Er muss Access-Control-Allow-Origin: ${origin} senden (das Relay von tool-chat tut es für Ursprünge in ALLOWED_ORIGINS).`,
    ],
    'cors-headers': ({ origin = '' }) => [
      'Der Server lässt diese Seite seine Antworten lesen, aber nicht die Header einer Chat-Anfrage senden (CORS).',
      `Auf den Preflight von ${origin} muss er mit Access-Control-Allow-Headers: content-type und Ihren eigenen Headern antworten.`,
    ],
    auth: ({ status = 401 }) => [
      `Der Endpunkt verlangt eine Anmeldung (${status}).`,
      'Melden Sie sich an, oder setzen Sie einen gültigen Schlüssel in „headers“. Schlüssel gehören in ein Relay, nicht in eine Seite.',
    ],
    forbidden: ({ status = 403, origin = '' }) => [
      `Der Endpunkt hat diese Website oder diesen Benutzer abgelehnt (${status}).`,
      `Wenn er das Relay von tool-chat ist, nehmen Sie ${origin} in seine erlaubten Ursprünge (ALLOWED_ORIGINS) auf, oder geben Sie ihn als PUBLIC_ORIGIN an. Sonst melden Sie sich mit einem berechtigten Konto an.`,
    ],
    'not-found': ({ status = 404 }) => [
      `Ein Server antwortet, aber nicht unter diesem Pfad (${status}).`,
      'Vergleichen Sie den Pfad mit der Dokumentation des Dienstes.',
    ],
    redirect: () => [
      'Der Server leitet Anfragen an eine andere Adresse um. Die Umleitung wird nicht befolgt, damit die Unterhaltung hier bleibt.',
      'Setzen Sie die endgültige Adresse als „endpoint“.',
    ],
    'wrong-answer': () => [
      'Unter dieser Adresse ist eine Webseite, kein Endpunkt.',
      'Vergleichen Sie den Pfad mit der Dokumentation des Dienstes; vielleicht ist zuerst eine Anmeldung nötig.',
    ],
    'rate-limit': () => ['Der Endpunkt funktioniert, hat aber zu viele Anfragen erhalten.', 'Versuchen Sie es später noch einmal.'],
    'too-long': ({ window }) => [
      `Der Endpunkt funktioniert, aber die letzte Anfrage war länger, als sein Modell auf einmal lesen kann${window === undefined ? '' : ` (${String(window)} Token)`}.`,
      'Beginnen Sie einen neuen Chat, registrieren Sie weniger Tools, oder geben Sie dem Modell ein größeres Kontextfenster (-c bei llama.cpp, num_ctx bei Ollama).',
    ],
    server: ({ status = 500 }) => [`Der Endpunkt antwortet mit einem Fehler (${status}).`, 'Die Ursache steht im Protokoll des Servers.'],
    headers: () => [
      'Die Funktion „headers“ der Seite ist fehlgeschlagen, deshalb wurde nichts gesendet.',
      'Die Ursache steht in der Browserkonsole.',
    ],
  },
};
