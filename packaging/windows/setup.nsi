; Installs rigview for the current user, without an administrator. File types are offered in "Open with"; the default program of a type
; stays. `/S` installs without questions, `/D=FOLDER` selects the folder.
;
; Variables: VERSION, STAGE (folder with the files), OUTPUT
Target amd64-unicode
!include LogicLib.nsh
Unicode true
SetCompressor /SOLID lzma
ManifestDPIAware true
RequestExecutionLevel user

Name "rigview"
OutFile "${OUTPUT}"
Icon "${ICON}"
UninstallIcon "${ICON}"
InstallDir "$LOCALAPPDATA\Programs\rigview"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "rigview"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Installer of rigview"
VIAddVersionKey "LegalCopyright" "MIT or Apache-2.0"

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\rigview"
; A class of crates/windows-thumbnails, and the interface IThumbnailProvider.
!define PROVIDER "{9d2b6c0e-5f1a-4c38-8a77-3e1f60b4d925}"
!define THUMBNAILS "ShellEx\{e357fccd-a995-4576-b01f-234630154e96}"
!define APP_PATH "Software\Microsoft\Windows\CurrentVersion\App Paths\rigview.exe"

Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

; The desktop reads the file types again (SHCNE_ASSOCCHANGED).
!macro RefreshFileTypes
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
!macroend

; The provider of another program stays, also one of all users.
!macro AddThumbnails EXTENSION
  ReadRegStr $0 HKCR "${EXTENSION}\${THUMBNAILS}" ""
  ${If} $0 == ""
    WriteRegStr HKCU "Software\Classes\${EXTENSION}\${THUMBNAILS}" "" "${PROVIDER}"
  ${EndIf}
!macroend
!macro RemoveThumbnails EXTENSION
  ReadRegStr $0 HKCU "Software\Classes\${EXTENSION}\${THUMBNAILS}" ""
  ${If} $0 == "${PROVIDER}"
    DeleteRegKey HKCU "Software\Classes\${EXTENSION}\${THUMBNAILS}"
    DeleteRegKey /ifempty HKCU "Software\Classes\${EXTENSION}\ShellEx"
  ${EndIf}
!macroend

; The host of thumbnails may have loaded the DLL, and ends when it is idle. A loaded DLL can be renamed.
!macro RemoveProvider
  Delete "$INSTDIR\rigview_thumbnails.old"
  Rename "$INSTDIR\rigview_thumbnails.dll" "$INSTDIR\rigview_thumbnails.old"
  Delete /REBOOTOK "$INSTDIR\rigview_thumbnails.old"
!macroend

Section
  SetOutPath "$INSTDIR"
  !insertmacro RemoveProvider
  ; A former version may have had other documents.
  RMDir /r "$INSTDIR\share"
  File /r "${STAGE}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortCut "$SMPROGRAMS\rigview.lnk" "$INSTDIR\rigview.exe"

  WriteRegStr HKCU "Software\Classes\rigview.model" "" "glTF model"
  WriteRegStr HKCU "Software\Classes\rigview.model\DefaultIcon" "" "$INSTDIR\rigview.exe,0"
  WriteRegStr HKCU "Software\Classes\rigview.model\shell\open\command" "" '"$INSTDIR\rigview.exe" "%1"'
  WriteRegStr HKCU "Software\Classes\.glb\OpenWithProgids" "rigview.model" ""
  WriteRegStr HKCU "Software\Classes\.gltf\OpenWithProgids" "rigview.model" ""
  WriteRegStr HKCU "Software\Classes\.bvh\OpenWithProgids" "rigview.model" ""
  WriteRegStr HKCU "Software\rigview\Capabilities" "ApplicationName" "rigview"
  WriteRegStr HKCU "Software\rigview\Capabilities" "ApplicationDescription" "Viewer for animated glTF models"
  WriteRegStr HKCU "Software\rigview\Capabilities\FileAssociations" ".glb" "rigview.model"
  WriteRegStr HKCU "Software\rigview\Capabilities\FileAssociations" ".gltf" "rigview.model"
  WriteRegStr HKCU "Software\rigview\Capabilities\FileAssociations" ".bvh" "rigview.model"
  WriteRegStr HKCU "Software\RegisteredApplications" "rigview" "Software\rigview\Capabilities"
  WriteRegStr HKCU "${APP_PATH}" "" "$INSTDIR\rigview.exe"
  WriteRegStr HKCU "Software\Classes\CLSID\${PROVIDER}" "" "rigview thumbnails"
  WriteRegStr HKCU "Software\Classes\CLSID\${PROVIDER}\InprocServer32" "" "$INSTDIR\rigview_thumbnails.dll"
  WriteRegStr HKCU "Software\Classes\CLSID\${PROVIDER}\InprocServer32" "ThreadingModel" "Apartment"
  !insertmacro AddThumbnails ".glb"
  !insertmacro AddThumbnails ".gltf"
  !insertmacro AddThumbnails ".vrm"

  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "rigview"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\rigview.exe,0"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The rigview authors"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  !insertmacro RefreshFileTypes
SectionEnd

Section "Uninstall"
  ; Only what was installed: the folder may have other files.
  Delete "$INSTDIR\rigview.exe"
  !insertmacro RemoveProvider
  RMDir /r "$INSTDIR\share"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\rigview.lnk"

  DeleteRegKey HKCU "Software\Classes\rigview.model"
  DeleteRegValue HKCU "Software\Classes\.glb\OpenWithProgids" "rigview.model"
  DeleteRegValue HKCU "Software\Classes\.gltf\OpenWithProgids" "rigview.model"
  DeleteRegValue HKCU "Software\Classes\.bvh\OpenWithProgids" "rigview.model"
  DeleteRegKey HKCU "Software\rigview"
  DeleteRegValue HKCU "Software\RegisteredApplications" "rigview"
  !insertmacro RemoveThumbnails ".glb"
  !insertmacro RemoveThumbnails ".gltf"
  !insertmacro RemoveThumbnails ".vrm"
  DeleteRegKey HKCU "Software\Classes\CLSID\${PROVIDER}"
  DeleteRegKey HKCU "${APP_PATH}"
  DeleteRegKey HKCU "${UNINSTALL}"
  !insertmacro RefreshFileTypes
SectionEnd
