"""Where the golden vectors lie: BCPKI_GOLDEN, or golden/ of the source tree."""

import os
from pathlib import Path

FOLDER = Path(os.environ.get("BCPKI_GOLDEN") or Path(__file__).resolve().parents[2] / "golden")
BUNDLES = FOLDER / "bundle"
