"""A site as one SCORM 1.2 package: an archive that learning systems open as a course, with a mark for each chapter."""

from __future__ import annotations

import html
import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence

from dpviz.course.handout import Place
from dpviz.files import SITE_MARK

MANIFEST = "imsmanifest.xml"
_MANIFEST = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- {mark} -->
<manifest identifier="dpviz" version="1.2" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
  xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>{schema}</schema><schemaversion>1.2</schemaversion></metadata>
<organizations default="course"><organization identifier="course"><title>{title}</title>
{items}
</organization></organizations>
<resources>
{resources}
</resources>
</manifest>
"""
_ITEM = '<item identifier="item-{id}" identifierref="page-{id}"><title>{title}</title></item>'
_RESOURCE = '<resource identifier="{id}" type="webcontent" adlcp:scormtype="{kind}"{href}>{inside}</resource>'
_BESIDE = "beside"
"""The resource of pages that others lead to."""


def package(title: str, pages: Mapping[str, str], places: Sequence[Place], marked: Iterable[str]) -> bytes:
    """Pack pages for learning systems.

    Parameters
    ----------
    title : str
        Of the course.
    pages : mapping of str to str
        HTML by path.
    places : sequence of Place
        Pages that the course lists.
    marked : iterable of str
        Paths of those that report a mark, which are SCOs; others are only shown.

    Returns
    -------
    bytes
        A ZIP archive; equal pages give equal bytes. The manifest comes first, and says that this package wrote it.
    """
    listed, marked = [place.path for place in places], set(marked)
    resources = [
        _RESOURCE.format(
            id=f"page-{number}",
            kind="sco" if path in marked else "asset",
            href=f' href="{html.escape(path)}"',
            inside=_file(path) + f'<dependency identifierref="{_BESIDE}"/>',
        )
        for number, path in enumerate(listed)
    ]
    beside = "".join(_file(path) for path in pages if path not in listed)
    manifest = _MANIFEST.format(
        mark=SITE_MARK,
        schema="ADL SCORM",
        title=html.escape(title),
        items="\n".join(_ITEM.format(id=number, title=html.escape(place.title)) for number, place in enumerate(places)),
        resources="\n".join([*resources, _RESOURCE.format(id=_BESIDE, kind="asset", href="", inside=beside)]),
    )
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(zipfile.ZipInfo(MANIFEST), manifest)
        for path, page in pages.items():
            archive.writestr(zipfile.ZipInfo(path), page, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _file(path: str) -> str:
    return f'<file href="{html.escape(path)}"/>'
