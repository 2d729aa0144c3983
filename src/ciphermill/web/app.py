# Copyright Ciphermill contributors.
# SPDX-License-Identifier: Apache-2.0
"""The pages and what they ask of the server, as an ASGI application."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from ciphermill.web import work
from ciphermill.web.dashboard import Dashboard
from ciphermill.web.errors import Refused
from ciphermill.web.guard import Guard
from ciphermill.web.jobs import Jobs
from ciphermill.web.pages import Pages
from ciphermill.web.requests import body_of
from ciphermill.web.shelf import Item, Shelf

LARGEST_PICTURE_BYTES = 256 << 20
"""The longest file that is taken for a picture."""
_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_ASSETS = {path.name: path for path in (files(__package__) / "static").iterdir()} | {
    "base.css": files("ciphermill.report") / "templates" / "style.css"
}


class Site:
    """What requests are answered from: files, jobs and devices."""

    def __init__(self, folder: Path, extra: Sequence[str] = (), store: str | None = None) -> None:
        """Keep files in a folder; offer these devices beside those that are present.

        Args:
            folder: The folder for the files of the pages.
            extra: Names of these devices.
            store: The results store that the dashboard shows; by default the default one.

        Raises:
            ciphermill.Error: One of these devices is not there, or does not encrypt.
        """
        self.folder = folder
        self.shelf = Shelf(folder)
        self.jobs = Jobs()
        self._devices = work.offered(extra)
        self._pages = Pages()
        self._dashboard = Dashboard(self._pages, self.jobs, extra, store)

    def app(self, token: str) -> Guard:
        """Return the application, which answers below ``/TOKEN/`` only."""
        routes = [
            Route("/", self.pictures_page),
            Route("/files", self.files_page),
            Route("/assets/{name}", self.asset),
            Route("/devices", self.devices),
            Route("/pictures", self.take_picture, methods=["POST"]),
            Route("/files", self.take_file, methods=["POST"]),
            Route("/jobs", self.start_job, methods=["POST"]),
            Route("/jobs/{identity}", self.job),
            Route("/jobs/{identity}", self.stop_job, methods=["DELETE"]),
            Route("/items/{identity}", self.download),
            Route("/items/{identity}/preview.png", self.preview),
            *self._dashboard.routes(),
        ]
        return Guard(Starlette(routes=routes, exception_handlers={Refused: _refused}), token)

    async def pictures_page(self, request: Request) -> Response:
        """The page of pictures."""
        return self._pages.show(request, "pictures.html.j2")

    async def files_page(self, request: Request) -> Response:
        """The page of files."""
        return self._pages.show(request, "files.html.j2")

    async def asset(self, request: Request) -> Response:
        """A style sheet or a script."""
        if request.path_params["name"] not in _ASSETS:
            raise Refused("there is no such file", 404)
        path = _ASSETS[request.path_params["name"]]
        return Response(path.read_bytes(), media_type=_KINDS[PurePosixPath(path.name).suffix])

    async def devices(self, _: Request) -> Response:
        """The devices that can be chosen."""
        return JSONResponse(self._devices)

    async def take_picture(self, request: Request) -> Response:
        """Take a picture, or a container of one."""
        return await self._take(request, picture=True)

    async def take_file(self, request: Request) -> Response:
        """Take a file."""
        return await self._take(request, picture=False)

    async def _take(self, request: Request, *, picture: bool) -> Response:
        """Write the body of a request into a file, and look at it."""
        name = PurePosixPath(request.query_params.get("name", "")).name or "file"
        item = self.shelf.place(name[-200:])
        try:
            await self._receive(request, item, LARGEST_PICTURE_BYTES if picture else None)
            facts = await run_in_threadpool(work.take_in, item, picture=picture)
        except ClientDisconnect:
            self.shelf.remove(item.identity)
            return Response(status_code=400)
        except BaseException:
            self.shelf.remove(item.identity)
            raise
        return JSONResponse(facts, status_code=201)

    async def _receive(self, request: Request, item: Item, limit: int | None) -> None:
        received = 0
        try:
            with item.path.open("xb") as file:
                async for chunk in request.stream():
                    received += len(chunk)
                    if limit is not None and received > limit:
                        raise Refused(
                            f"the file is longer than the {limit >> 20} MiB of a picture: "
                            "encrypt it on the page of files",
                            413,
                        )
                    file.write(chunk)
        except OSError as error:
            free = shutil.disk_usage(self.folder).free >> 20
            raise Refused(
                f"the file cannot be kept: {error.strerror} ({free:,} MiB are free in "
                f"{self.folder.parent}; name another folder by the variable TMPDIR)",
                507,
            ) from error

    async def start_job(self, request: Request) -> Response:
        """Start a job; the answer has its identity."""
        try:
            asked = work.Asked.model_validate_json(await body_of(request))
        except ValidationError as error:
            raise Refused(_words(error), 422) from None
        if asked.device not in {one["name"] for one in self._devices}:
            raise Refused(f"there is no device {asked.device!r}: choose another")
        job = self.jobs.start(work.job_of(asked, self.shelf))
        return JSONResponse({"job": job.identity}, status_code=202)

    async def job(self, request: Request) -> Response:
        """How far a job is, and its result."""
        return JSONResponse(self.jobs.find(request.path_params["identity"]).facts())

    async def stop_job(self, request: Request) -> Response:
        """Stop a job."""
        self.jobs.find(request.path_params["identity"]).stop()
        return Response(status_code=204)

    async def download(self, request: Request) -> Response:
        """A file, to be saved."""
        item = self.shelf.find(request.path_params["identity"])
        return FileResponse(item.path, media_type="application/octet-stream", filename=item.name)

    async def preview(self, request: Request) -> Response:
        """A picture, as the page shows it."""
        item = self.shelf.find(request.path_params["identity"])
        if item.picture is None:
            raise Refused("this file is no picture", 404)
        return Response(item.picture.preview, media_type="image/png")


def _words(error: ValidationError) -> str:
    """Return what is wrong with a request, without its values."""
    first: Any = error.errors(include_input=False, include_url=False, include_context=False)[0]
    if first["loc"] == ("password",):
        return "the password is empty or too long: type it again"
    where = ".".join(map(str, first["loc"])) or "the request"
    return f"{where}: {first['msg']}"


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)  # noqa: S101 - for the type checker
    return JSONResponse({"error": str(error)}, status_code=error.status)
