//! State of the whole viewer.

use super::comparison::ComparisonState;
use super::document::Document;
use super::export::ExportProgress;
use super::file_list::FileList;
use super::frame_stats::FrameStats;
use super::gizmo::GizmoState;
use super::hints::Hints;
use super::history::History;
use super::notifications::{NotificationKind, Notifications};
use super::settings::{Settings, Tab};
use super::view::ViewState;
use crate::request::{ExposureRequest, LightRequest, OfView, SceneRequest, WindowRequest};
use rigview_check::Issue;
use rigview_check::flex::FlexLimits;
use rigview_render::drop_elsewhere;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The open model is pinned: files that open later play on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pinned {
    /// Number of its clip sources without such a file.
    sources: usize,
    /// Number of its clips with these sources.
    clips: usize,
}

pub(crate) struct Checked {
    pub(crate) issues: Vec<Issue>,
    /// Name of the profile, or the reason why it is not read.
    pub(crate) profile: Option<Result<String, String>>,
}

pub(crate) struct AppState {
    /// The first file opens with it.
    pub(crate) command_line: WindowRequest,
    pub(crate) settings: Settings,
    pub(crate) files: FileList,
    pub(crate) document: Option<Document>,
    pub(crate) comparison: Option<ComparisonState>,
    /// The open file before its last reload, unless it is compared.
    pub(crate) before_reload: Option<Document>,
    pub(crate) pinned: Option<Pinned>,
    pub(crate) view: ViewState,
    pub(crate) flex_limits: FlexLimits,
    pub(crate) gizmo: GizmoState,
    pub(crate) history: History,
    pub(crate) notifications: Notifications,
    /// Time of the present event.
    pub(crate) now: Instant,
    pub(crate) frame_stats: FrameStats,
    /// Issues of the open file; `None` until the check has finished.
    pub(crate) issues: Option<Vec<Issue>>,
    /// Name of the profile that they are found by, or the reason why it is not read; `None` until the check has finished, and without a
    /// profile.
    pub(crate) profile: Option<Result<String, String>>,
    pub(crate) export: Option<ExportProgress>,
    /// A file is dragged over the window.
    pub(crate) drag_hover: bool,
    /// Last dropped file; opened when all events are handled, because one drop may deliver several.
    pub(crate) pending_open: Option<PathBuf>,
    /// Last dropped motion without a mesh. It plays on a character that is dropped with it, else on the open one.
    pub(crate) pending_import: Option<PathBuf>,
}

impl AppState {
    pub(crate) fn new(request: WindowRequest, mut settings: Settings) -> Self {
        settings.panels.hidden |= request.hide_panels;
        if request.ignore_settings {
            settings.hints = Hints::NONE;
        }
        let listed = if request.compare { 1 } else { request.files.len() };
        Self {
            files: FileList::new(request.files[..listed].to_vec()),
            view: ViewState::new(&request.view),
            command_line: request,
            settings,
            document: None,
            comparison: None,
            before_reload: None,
            pinned: None,
            flex_limits: FlexLimits::default(),
            gizmo: GizmoState::default(),
            history: History::default(),
            notifications: Notifications::default(),
            now: Instant::now(),
            frame_stats: FrameStats::default(),
            issues: None,
            profile: None,
            export: None,
            drag_hover: false,
            pending_open: None,
            pending_import: None,
        }
    }

    /// The request to open another file: options of the open one have their defaults.
    pub(crate) fn request_of_view(&self) -> SceneRequest {
        self.document.as_ref().map_or(&self.command_line.scene, Document::request).of_view()
    }

    /// Pins the open model, or releases it.
    pub(crate) fn toggle_pin(&mut self) {
        let pin = |document: &Document| Pinned {
            sources: document.request().motion.clip_sources.len(),
            clips: document.scene.model().clips.len(),
        };
        self.pinned = if self.pinned.is_some() { None } else { self.document.as_ref().map(pin) };
    }

    /// The open file; of a pinned model, the file whose clips it plays.
    pub(crate) fn shown_file(&self) -> Option<&Path> {
        let document = self.document.as_ref()?;
        let motion = self.pinned.and_then(|pinned| document.request().motion.clip_sources.get(pinned.sources));
        Some(motion.unwrap_or(&document.scene.file))
    }

    /// Returns the request to play the clips of `file` on the pinned model, or its own clips.
    pub(crate) fn request_on_pinned(&self, file: &Path) -> Option<SceneRequest> {
        let (pinned, document) = (self.pinned?, self.document.as_ref()?);
        let mut request = document.request().clone();
        request.motion.clip_sources.truncate(pinned.sources);
        (request.clip, request.layers) = (None, Vec::new());
        request.crowd.clips.clear();
        if file != document.scene.file {
            request.clip = Some(pinned.clips.to_string());
            request.motion.clip_sources.push(file.to_owned());
        }
        Some(request)
    }

    /// The file with the rules by which files are checked. That of the command line comes first.
    pub(crate) fn profile_file(&self) -> Option<&Path> {
        self.command_line.profile.as_deref().or(self.settings.profile.as_deref())
    }

    /// Shows the result of a check. A profile that is not read is reported once.
    pub(crate) fn show_check(&mut self, checked: Checked) {
        if let Some(Err(reason)) = &checked.profile
            && self.profile != checked.profile
        {
            self.notify(NotificationKind::Error, format!("The profile is not used: {reason}"));
        }
        (self.issues, self.profile) = (Some(checked.issues), checked.profile);
    }

    pub(crate) fn notify(&mut self, kind: NotificationKind, text: impl Into<String>) {
        self.notifications.push(kind, text.into(), self.now);
    }

    /// Returns `true` while the open file changes with time.
    pub(crate) fn is_moving(&self) -> bool {
        self.document.as_ref().is_some_and(Document::is_moving)
    }

    /// Exposure in stops. Automatic exposure is metered on the open file.
    pub(crate) fn exposure_ev(&self) -> f64 {
        let light = &self.view.request.light;
        let document = self.document.as_ref().filter(|_| light.uses_file_lights());
        light.exposure().stops(document.map_or(0.0, |document| document.scene.auto_exposure_ev))
    }

    /// The light with its exposure in stops.
    pub(crate) fn light(&self) -> LightRequest {
        let exposure = Some(ExposureRequest::Stops(self.exposure_ev()));
        LightRequest { exposure, ..self.view.request.light.clone() }
    }

    /// Keeps the open file as it was before a reload, in place of an earlier version. Returns `true` if it is compared.
    pub(crate) fn keep_before_reload(&mut self, before: Document) -> bool {
        match self.comparison.as_mut().filter(|comparison| comparison.is_before_reload) {
            Some(comparison) => {
                comparison.set_document(before);
                true
            }
            None => {
                drop_elsewhere(self.before_reload.replace(before));
                false
            }
        }
    }

    /// Releases the kept version, because another file is open. Returns `true` if it was compared.
    pub(crate) fn release_before_reload(&mut self) -> bool {
        let is_compared = self.comparison.as_ref().is_some_and(|comparison| comparison.is_before_reload);
        if is_compared {
            self.close_comparison();
        }
        drop_elsewhere(self.before_reload.take());
        is_compared
    }

    /// Ends a comparison. A compared version stays available. Returns `false` without a comparison.
    pub(crate) fn close_comparison(&mut self) -> bool {
        let Some(comparison) = self.comparison.take() else { return false };
        if comparison.is_before_reload {
            self.before_reload = comparison.document;
        } else {
            drop_elsewhere(comparison.document);
        }
        if let Some(document) = &mut self.document {
            document.camera.compared_hull = None;
        }
        if self.settings.panels.tab == Tab::Compare {
            self.settings.panels.tab = Tab::default();
        }
        true
    }

    /// Frames both files, unless the user moved the camera.
    pub(crate) fn frame_compared_documents(&mut self, aspect: f64) {
        // The hull depends on the clip.
        if let (Some(document), Some(comparison)) = (&self.document, &mut self.comparison) {
            comparison.sync_from(document);
        }
        let second = self.comparison.as_ref().and_then(|comparison| comparison.document.as_ref());
        let hull = second.map(|second| second.scene.hull.clone());
        if let Some(document) = &mut self.document {
            document.keep_framed(aspect, |document| document.camera.compared_hull = hull);
        }
    }
}
