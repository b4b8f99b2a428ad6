// A page that holds a player and what it plays, and nothing else that moves.

import { contentOf } from "./decode.js";
import { standalonePlayer, USUAL_OPENING } from "./mount.js";

standalonePlayer("player").open(USUAL_OPENING, contentOf("payload"));
