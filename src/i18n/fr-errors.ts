/** The French texts of error details; `error-texts.ts` has the English ones. */
import type { ErrorTexts } from './error-texts.js';

export const errorsFr: ErrorTexts = {
  code: 'Code',
  status: 'État HTTP',
  errorType: 'Type d’erreur',
  said: 'Message du serveur',
  check: 'Vérifier la configuration',
  checking: 'Vérification…',
  asked: 'Adresse :',
  feedback: 'Signaler un problème',
  findings: {
    ok: () => [
      'Le point d’accès fonctionne et accepte les demandes de cette page.',
      'L’erreur était passagère, ou ne survient qu’avec un message complet : réessayez.',
    ],
    'no-endpoint': () => ['Aucun point d’accès n’est défini.', 'Pour le responsable du site : définissez l’attribut « endpoint ».'],
    'bad-url': () => [
      'L’adresse du point d’accès n’est pas valide.',
      'Elle doit commencer par https:// ou http://, ou être un chemin de ce site.',
    ],
    'on-device': () => [
      'Les réponses viennent du modèle du navigateur, il n’y a pas de point d’accès à vérifier.',
      'Mettez le navigateur à jour, ou vérifiez qu’il a téléchargé son modèle.',
    ],
    'mixed-content': () => [
      'Cette page est en https, le point d’accès en http : le navigateur bloque cela.',
      'Le point d’accès doit passer en https.',
    ],
    offline: () => ['Le navigateur est hors ligne.', 'Connectez-vous à un réseau ; les messages en attente seront alors envoyés.'],
    'local-network': () => [
      'Le point d’accès est sur cet ordinateur ou dans ce réseau, et le navigateur n’y laisse pas accéder cette page.',
      'Autorisez l’accès au réseau local dans les paramètres du site, démarrez le serveur et faites-lui autoriser ce site (OLLAMA_ORIGINS pour Ollama).',
    ],
    csp: () => [
      'La Content-Security-Policy de cette page bloque les demandes au point d’accès.',
      'Ajoutez l’origine du point d’accès à son connect-src.',
    ],
    unreachable: () => [
      'Rien ne répond à cette adresse.',
      'Vérifiez qu’elle est bien écrite, que le serveur tourne, que son nom se résout et que son certificat est valide.',
    ],
    timeout: () => [
      'Le serveur a reçu la demande mais n’a pas répondu à temps.',
      'Il est peut-être surchargé, ou un proxy retarde ses réponses.',
    ],
    cors: ({ origin = '' }) => [
      'Un serveur répond, mais ne laisse pas ce site lire ses réponses (CORS).',
      `Il doit envoyer Access-Control-Allow-Origin: ${origin} (le relais de tool-chat le fait pour les origines de ALLOWED_ORIGINS).`,
    ],
    'cors-headers': ({ origin = '' }) => [
      'Le serveur laisse ce site lire, mais pas envoyer les en-têtes d’une demande (CORS).',
      `À la requête préliminaire de ${origin}, il doit répondre par Access-Control-Allow-Headers: content-type et les en-têtes que vous définissez.`,
    ],
    auth: ({ status = 401 }) => [
      `Le point d’accès exige une authentification (${status}).`,
      'Connectez-vous, ou mettez une clé valide dans « headers ». Les clés vont dans un relais, pas dans une page.',
    ],
    forbidden: ({ status = 403, origin = '' }) => [
      `Le point d’accès a refusé ce site ou cet utilisateur (${status}).`,
      `Si c’est le relais de tool-chat, ajoutez ${origin} à ses origines autorisées (ALLOWED_ORIGINS), ou indiquez-la comme PUBLIC_ORIGIN. Sinon, connectez-vous avec un compte autorisé.`,
    ],
    'not-found': ({ status = 404 }) => [
      `Un serveur répond, mais pas à ce chemin (${status}).`,
      'Comparez le chemin avec la documentation du service.',
    ],
    redirect: () => [
      'Le serveur redirige les demandes vers une autre adresse. Elle n’est pas suivie, pour que la conversation n’y parte pas.',
      'Mettez l’adresse finale dans « endpoint ».',
    ],
    'wrong-answer': () => [
      'À cette adresse se trouve une page web, pas un point d’accès.',
      'Comparez le chemin avec la documentation du service ; il faut peut-être d’abord se connecter.',
    ],
    'rate-limit': () => ['Le point d’accès fonctionne, mais a reçu trop de demandes.', 'Réessayez plus tard.'],
    'too-long': ({ window }) => [
      `Le point d’accès fonctionne, mais la dernière demande était plus longue que ce que son modèle lit à la fois${window === undefined ? '' : ` (${String(window)} jetons)`}.`,
      'Commencez une nouvelle conversation, déclarez moins d’outils, ou donnez au modèle une fenêtre plus grande (-c pour llama.cpp, num_ctx pour Ollama).',
    ],
    server: ({ status = 500 }) => [`Le point d’accès répond par une erreur (${status}).`, 'La cause se trouve dans le journal du serveur.'],
    headers: () => [
      'La fonction « headers » de la page a échoué, rien n’a donc été envoyé.',
      'La cause se trouve dans la console du navigateur.',
    ],
  },
};
